import type { ServiceReply } from '../request.ts';
import { type NumberPosition, nextOf, numberPositions } from '../store/positions.ts';
import { type RunPage, runsOfVal } from '../store/runs.ts';
import { type StoredVal, visibleVal } from '../store/vals.ts';
import { pageOfVersions, type VersionPage } from '../store/versions.ts';
import { codeCard } from './code-card.ts';
import { type Html, html } from './html.ts';
import { markdownHtml } from './markdown.ts';
import { pageReply } from './page-layout.ts';
import {
  badge,
  byAuthor,
  card,
  changedHtml,
  emptyNote,
  pager,
  timeHtml,
  valAddress,
  versionAddress,
} from './parts.ts';
import { runRow, shownRun } from './run-parts.ts';
import type { PageView, Visit } from './visitor.ts';

const versionsOnPage = 20;
const runsOnPage = 10;

export async function valPage(
  visit: Visit,
  id: string,
  after: NumberPosition | undefined,
): Promise<ServiceReply> {
  const { db, request, view } = visit;
  const { access } = request;
  const val = await visibleVal(db, access, id);
  const { name, version, createdAt, readme } = val;
  const versions = await pageOfVersions(db, access, id, {
    limit: versionsOnPage,
    after,
  });
  // Runs are shown to the owner alone.
  const isOwn = access !== undefined && val.author.id === access.owner.id;
  const runs = isOwn && (await runsOfVal(db, access, id, { limit: runsOnPage }));
  const { now } = view;
  return pageReply(view, {
    title: name,
    main: html`<h1>${name}</h1>
<p class="meta">${badge(val)} <span>${val.type}</span> <span>of ${val.author.username}</span> <span>version ${version}</span> ${changedHtml(val, now)} <span>created ${timeHtml(createdAt, now)}</span></p>
<p class="meta id">${id}</p>
<div class="sides"><div>
${await codeCard(visit, val, `${valAddress(view.base, id)}/raw`)}
${readme ? card('Readme', html`<div class="readme">${markdownHtml(readme)}</div>`) : ''}
</div><div>
${versionsCard(view, val, versions, after !== undefined)}
${runs ? runsCard(view, val, runs) : ''}
</div></div>`,
  });
}

function versionsCard(
  { base, now }: PageView,
  { id, version: current }: StoredVal,
  page: VersionPage,
  hasNewer: boolean,
): Html {
  const rows = page.items.map(({ item: { version, createdAt, versionAuthor } }) => {
    const mark = version === current ? html` <span class="badge">current</span>` : '';
    return html`<li><a href="${versionAddress(base, id, version)}">Version ${version}</a>${mark} <span class="meta"><span>${timeHtml(createdAt, now)}${byAuthor(versionAuthor)}</span></span></li>
`;
  });
  const address = valAddress(base, id);
  const next = nextOf(page, numberPositions);
  const older = next && `${address}?versions=${next}#versions`;
  return html`<section class="card" id="versions"><div class="bar"><h2>Versions</h2></div><ul>${rows}</ul>${pager({ first: hasNewer ? address : undefined, next: older })}</section>`;
}

function runsCard(view: PageView, { id }: StoredVal, { items }: RunPage): Html {
  const rows = items.map(({ item: run }) => runRow(view, shownRun(run), { withVal: false }));
  if (rows.length === 0)
    return card('Latest runs', emptyNote(html`No runs yet. Run it: <code>vals run ${id}</code>`));
  const all = html`<a href="${view.base}/runs?val=${encodeURIComponent(id)}">All runs</a>`;
  return card('Latest runs', html`<ul class="runs">${rows}</ul>`, all);
}
