// Pieces of HTML that several pages have.

import type { VersionAuthor } from '../store/access.ts';
import type { ListedVal } from '../store/vals.ts';
import { type Html, html } from './html.ts';

export const badge = ({ privacy }: Pick<ListedVal, 'privacy'>): Html =>
  html`<span class="badge ${privacy}">${privacy}</span>`;

export const valAddress = (base: string, id: string): string => `${base}/vals/${encodeURIComponent(id)}`;

export const versionAddress = (base: string, id: string, version: number): string =>
  `${valAddress(base, id)}/versions/${version}`;

export const runAddress = (base: string, id: string): string => `${base}/runs/${encodeURIComponent(id)}`;

/** Who made a version, and with which token, unless it was the first one. */
export const byAuthor = ({ username, token }: VersionAuthor): string =>
  token === undefined ? ` by ${username}` : ` by ${username} (${token})`;

/** When a val changed, and by whom if the change was its version. Who changed a name, a readme or a privacy is not stored. */
export function changedHtml(val: ListedVal, now: number): Html {
  const by = val.updatedAt === val.versionCreatedAt ? byAuthor(val.versionAuthor) : '';
  return html`<span>changed ${timeHtml(val.updatedAt, now)}${by}</span>`;
}

/** The script of the page writes the time in the reader's zone. */
export function timeHtml(text: string, now: number, { withSeconds = false } = {}): Html {
  const moment = Date.parse(text);
  if (Number.isNaN(moment)) return html`${text}`;
  const utc = new Date(moment).toISOString();
  const written = `${utc.slice(0, 10)} ${utc.slice(11, withSeconds ? 19 : 16)} UTC`;
  const time = html`<time datetime="${utc}"${withSeconds ? html` data-seconds` : ''}>${written}</time>`;
  return html`${time} <span class="age">(${ageOf(moment, now)})</span>`;
}

const ages: [seconds: number, name: string][] = [
  [365 * 86_400, 'year'],
  [30 * 86_400, 'month'],
  [86_400, 'day'],
  [3_600, 'hour'],
  [60, 'minute'],
];

function ageOf(moment: number, now: number): string {
  const seconds = Math.round((now - moment) / 1_000);
  if (seconds < 0) return 'in the future';
  const [length, name] = ages.find(([length]) => seconds >= length) ?? [];
  return length === undefined ? 'just now' : `${counted(Math.floor(seconds / length), name)} ago`;
}

export const counted = (count: number, name = ''): string =>
  `${count.toLocaleString('en')} ${name}${count === 1 ? '' : 's'}`;

export const card = (title: string, content: Html, aside?: Html): Html =>
  html`<section class="card"><div class="bar"><h2>${title}</h2>${aside}</div>${content}</section>`;

export const emptyNote = (text: Html | string): Html => html`<p class="empty">${text}</p>`;

/** Links to the neighbours of a page of a list. `first` is the address of the first page, unless this is it. */
export function pager({ first, next }: { first: string | undefined; next: string | undefined }): Html {
  if (first === undefined && next === undefined) return html``;
  return html`<nav class="pages" aria-label="List">${first === undefined ? '' : html`<a href="${first}">Newest</a> `}${
    next === undefined ? '' : html`<a href="${next}" rel="next">Older</a>`
  }</nav>`;
}
