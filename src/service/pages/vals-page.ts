import type { ServiceReply } from '../request.ts';
import type { RunResult } from '../store/page-reads.ts';
import type { ListedVal } from '../store/val-rows.ts';
import { type Html, html } from './html.ts';
import type { HomeData, SearchData } from './page-data.ts';
import { pageReply } from './page-layout.ts';
import { authorText, badge, nothing, pager, timeHtml, valAddress } from './parts.ts';
import { spaceHome, type View } from './visitor.ts';

type LastRuns = ReadonlyMap<string, RunResult>;

export function homePage(view: View, { vals, lastRuns, next, isFirst }: HomeData): ServiceReply {
  const name = view.visitor?.owner.username ?? '';
  const home = `${view.base}/`;
  const list =
    vals.length === 0
      ? nothing(html`No vals yet. Push one with <code>vals push hello.ts</code>, then load this page again.`)
      : valList(view, vals, lastRuns);
  return pageReply(view, {
    title: `Vals of ${name}`,
    main: html`<h1>Vals of ${name}</h1>
<section class="card">${list}</section>
${pager({ first: isFirst ? undefined : home, next: next && `${home}?after=${next}` })}
${spaceList(view)}`,
  });
}

function spaceList({ visitor }: View): Html | undefined {
  if (!visitor?.hasOwnPages || visitor.spaces.length === 0) return undefined;
  const links = visitor.spaces.map(
    (space) => html`<li><a href="${spaceHome(space)}">${space.username}</a></li>`,
  );
  return html`<section class="card"><div class="bar"><h2>Your spaces</h2></div><ul>${links}</ul></section>`;
}

export function searchPage(view: View, { text, vals, lastRuns, next, isFirst }: SearchData): ServiceReply {
  const address = `${view.base}/search?q=${encodeURIComponent(text)}`;
  const list =
    vals.length === 0
      ? nothing(html`No val that you may see has this text in its name or code.`)
      : valList(view, vals, lastRuns);
  return pageReply(view, {
    title: `Search for ${text}`,
    query: text,
    main: html`<h1>Vals with “${text}”</h1>
<section class="card">${list}</section>
${pager({ first: isFirst ? undefined : address, next: next && `${address}&after=${next}` })}`,
  });
}

const valList = (view: View, vals: readonly ListedVal[], lastRuns: LastRuns): Html =>
  html`<ul class="vals">${vals.map((val) => valRow(view, val, lastRuns.get(val.id)))}</ul>`;

function valRow({ base, now, visitor }: View, val: ListedVal, lastRun: RunResult | undefined): Html {
  const { id, name, version, updatedAt, author } = val;
  const by = authorText(val.versionAuthor ?? author);
  const owner = author.id === visitor?.owner.id ? '' : html`<span>of ${author.username}</span> `;
  return html`<li><a class="name" href="${valAddress(base, id)}">${name}</a> ${lastRunMark(lastRun)}
<span class="meta">${owner}${badge(val)} <span>version ${version} by ${by}</span> <span>changed ${timeHtml(updatedAt, now)}</span></span></li>
`;
}

function lastRunMark(lastRun: RunResult | undefined): Html {
  if (lastRun === undefined) return html`<span class="none">never run</span>`;
  return lastRun === 'failed'
    ? html`<span class="bad">✗ last run failed</span>`
    : html`<span class="good">✓ last run ok</span>`;
}
