import type { ServiceReply } from '../request.ts';
import type { Val } from '../store/val-rows.ts';
import { codeCard } from './code-card.ts';
import { type Html, html } from './html.ts';
import { markdownHtml } from './markdown.ts';
import type { ValData } from './page-data.ts';
import { pageReply } from './page-layout.ts';
import {
  authorText,
  badge,
  card,
  counted,
  nothing,
  pager,
  timeHtml,
  valAddress,
  versionAddress,
} from './parts.ts';
import { runRow } from './run-parts.ts';
import type { ShownRun } from './shown-run.ts';
import type { View } from './visitor.ts';

export function valPage(view: View, { val, linkOf, versions, runs }: ValData): ServiceReply {
  const { name, version, id, createdAt, updatedAt, likeCount, referenceCount, readme } = val;
  const { now } = view;
  const by = authorText(val.versionAuthor ?? val.author);
  return pageReply(view, {
    title: name,
    main: html`<h1>${name}</h1>
<p class="meta">${badge(val)} <span>${val.type}</span> <span>of ${val.author.username}</span> <span>version ${version} by ${by}, changed ${timeHtml(updatedAt, now)}</span> <span>created ${timeHtml(createdAt, now)}</span>${likeCount > 0 ? html` <span>${counted(likeCount, 'like')}</span>` : ''}${referenceCount > 0 ? html` <span>used by ${counted(referenceCount, 'val')}</span>` : ''}</p>
<p class="meta id">${id}</p>
<div class="sides"><div>
${codeCard(val, `${valAddress(view.base, id)}/raw`, linkOf)}
${readme ? card('Readme', html`<div class="readme">${markdownHtml(readme)}</div>`) : ''}
</div><div>
${versionsCard(view, val, versions)}
${runs ? runsCard(view, val, runs) : ''}
</div></div>`,
  });
}

function versionsCard(
  { base, now }: View,
  { id, version: current }: Val,
  versions: ValData['versions'],
): Html {
  const rows = versions.items.map(({ version, createdAt, versionAuthor }) => {
    const by = versionAuthor ? html` by ${authorText(versionAuthor)}` : '';
    const mark = version === current ? html` <span class="badge">current</span>` : '';
    return html`<li><a href="${versionAddress(base, id, version)}">Version ${version}</a>${mark} <span class="meta"><span>${timeHtml(createdAt, now)}${by}</span></span></li>
`;
  });
  const address = valAddress(base, id);
  const older = versions.next && `${address}?versions=${versions.next}#versions`;
  return html`<section class="card" id="versions"><div class="bar"><h2>Versions</h2></div><ul>${rows}</ul>${pager({ first: versions.isFirst ? undefined : address, next: older })}</section>`;
}

function runsCard(view: View, { id }: Val, runs: readonly ShownRun[]): Html {
  const rows = runs.map((run) => runRow(view, run, { withVal: false }));
  if (rows.length === 0)
    return card('Latest runs', nothing(html`No runs yet. Run it: <code>vals run ${id}</code>`));
  const all = html`<a href="${view.base}/runs?val=${encodeURIComponent(id)}">All runs</a>`;
  return card('Latest runs', html`<ul class="runs">${rows}</ul>`, all);
}
