import { structuredPatch } from 'diff';
import type { ServiceReply } from '../request.ts';
import type { StoredVal } from '../store/vals.ts';
import { versionsAround, visibleVersion } from '../store/versions.ts';
import { codeCard } from './code-card.ts';
import { type Html, html } from './html.ts';
import { pageReply } from './page-layout.ts';
import { badge, byAuthor, card, emptyNote, timeHtml, valAddress, versionAddress } from './parts.ts';
import type { PageView, Visit } from './visitor.ts';

export async function versionPage(
  visit: Visit,
  id: string,
  { version, from }: { version: number; from: number | undefined },
): Promise<ServiceReply> {
  const { db, request, view } = visit;
  const { base, now } = view;
  const val = await visibleVersion(db, request.access, id, version);
  const { name, versionCreatedAt } = val;
  const { older, newer } = await versionsAround(db, id, version);
  const compared = from ?? older;
  const before = compared === undefined ? undefined : await visibleVersion(db, request.access, id, compared);
  const link = (number: number | undefined, text: string) =>
    number === undefined ? '' : html`<a href="${versionAddress(base, id, number)}">${text}</a> `;
  return pageReply(view, {
    title: `${name}, version ${version}`,
    main: html`<h1><a href="${valAddress(base, id)}">${name}</a>, version ${version}</h1>
<p class="meta">${badge(val)} <span>of ${val.author.username}</span> <span>made ${timeHtml(versionCreatedAt, now)}${byAuthor(val.versionAuthor)}</span>${newer === undefined ? html` <span class="badge">current</span>` : ''}</p>
<nav class="choices" aria-label="Versions">${link(older, '← Older version')}${link(newer, 'Newer version →')}<a href="${valAddress(base, id)}">The val</a></nav>
${await visit.inTurn(() => changesCard(view, val, before, older))}
${await codeCard(visit, val, `${versionAddress(base, id, version)}/raw`)}`,
  });
}

function changesCard(
  { base }: PageView,
  val: StoredVal,
  before: StoredVal | undefined,
  older: number | undefined,
): Html {
  const { id, version } = val;
  if (!before) return card('Changes', emptyNote('This is the first version.'));
  const form = html`<form class="compare" action="${versionAddress(base, id, version)}"><label>Compare with version <input type="number" name="from" min="0" value="${before.version}" required></label> <button>Compare</button></form>`;
  const title =
    before.version === older
      ? `Changes since version ${before.version}`
      : `Changes from version ${before.version} to ${version}`;
  return card(title, changesIn(before, val), form);
}

function changesIn(before: StoredVal, val: StoredVal): Html {
  const diff = diffHtml(before.code, val.code);
  if (!diff) {
    const command = `vals version diff ${val.id} ${before.version} ${val.version}`;
    return emptyNote(html`This diff is too large for this page. To see it: <code>${command}</code>`);
  }
  if (diff.length === 0) return emptyNote('Both versions have the same code.');
  return html`<pre class="diff" tabindex="0"><code>${diff}</code></pre>`;
}

const diffOptions = { context: 3, maxEditLength: 1_000, timeout: 100 };
const lineClasses: Record<string, string> = { '+': 'plus', '-': 'minus', '\\': 'hunk' };

/** The changes as HTML: nothing if there are none, and undefined if there are too many to show. */
function diffHtml(before: string, after: string): Html[] | undefined {
  const patch = structuredPatch('', '', before, after, '', '', diffOptions);
  return patch?.hunks.map(({ oldStart, oldLines, newStart, newLines, lines }) => {
    const rows = lines.map(
      (line) => html`<span class="${lineClasses[line.charAt(0)] ?? 'same'}">${line || ' '}</span>`,
    );
    return html`<span class="hunk">Lines ${linesText(oldStart, oldLines)} → ${linesText(newStart, newLines)}</span>${rows}`;
  });
}

const linesText = (start: number, count: number): string =>
  count <= 1 ? `${start}` : `${start}–${start + count - 1}`;
