import { accessOf } from '../admit.ts';
import type { ServiceReply } from '../request.ts';
import type { Access, User } from '../store/access.ts';
import { changedVals, valsWithText } from '../store/lists.ts';
import {
  type ChangePosition,
  changePositions,
  type ListPart,
  type NumberPosition,
  nextOf,
  numberPositions,
} from '../store/positions.ts';
import { lastResults, type RunResult } from '../store/runs.ts';
import type { ListedVal } from '../store/vals.ts';
import { type Html, html } from './html.ts';
import { pageReply } from './page-layout.ts';
import { badge, changedHtml, emptyNote, pager, valAddress } from './parts.ts';
import { resultMark } from './run-parts.ts';
import { baseOfOwner, type PageView, type Visit } from './visitor.ts';

const valsOnPage = 20;

export async function homePage(visit: Visit, after: ChangePosition | undefined): Promise<ServiceReply> {
  const { db, request, view } = visit;
  const { owner } = accessOf(request);
  const vals = await changedVals(db, owner, { limit: valsOnPage, after });
  const next = nextOf(vals, changePositions);
  const home = `${view.base}/`;
  const none = html`No vals yet. Push one with <code>vals push hello.ts</code>, then load this page again.`;
  return pageReply(view, {
    title: `Vals of ${owner.username}`,
    main: html`<h1>Vals of ${owner.username}</h1>
${await valsCard(visit, owner, { vals, none })}
${pager({ first: after && home, next: next && `${home}?after=${next}` })}`,
  });
}

export async function searchPage(
  visit: Visit,
  access: Access,
  { text, after }: { text: string; after: NumberPosition | undefined },
): Promise<ServiceReply> {
  const { db, view } = visit;
  const vals = await valsWithText(db, access, text, { limit: valsOnPage, after });
  const next = nextOf(vals, numberPositions);
  const address = `${view.base}/search?q=${encodeURIComponent(text)}`;
  const none = html`No val that you may see has this text in its name or code.`;
  return pageReply(view, {
    title: `Search for ${text}`,
    query: text,
    main: html`<h1>Vals with “${text}”</h1>
${await valsCard(visit, access.owner, { vals, none })}
${pager({ first: after && address, next: next && `${address}&after=${next}` })}`,
  });
}

async function valsCard(
  { db, view }: Visit,
  owner: User,
  { vals, none }: { vals: ListPart<ListedVal, unknown>; none: Html },
): Promise<Html> {
  const all = vals.items.map(({ item }) => item);
  const own = all.filter(({ author }) => author.id === owner.id);
  const lastRuns = await lastResults(db, own);
  const rows = all.map((val) => valRow(view, val, lastRuns.get(val.id)));
  return html`<section class="card">${rows.length === 0 ? emptyNote(none) : html`<ul class="vals">${rows}</ul>`}</section>`;
}

function valRow(view: PageView, val: ListedVal, lastRun: RunResult | undefined): Html {
  const { now, visitor } = view;
  const { id, name, version, author } = val;
  const isOwn = author.id === visitor?.owner.id;
  const owner = isOwn ? '' : html`<span>of ${author.username}</span> `;
  // The runs of others are not read here.
  const ran = isOwn ? lastRunHtml(lastRun) : '';
  return html`<li><a class="name" href="${valAddress(baseOfOwner(view, author), id)}">${name}</a> ${ran}
<span class="meta">${owner}${badge(val)} <span>version ${version}</span> ${changedHtml(val, now)}</span></li>
`;
}

const lastRunHtml = (result: RunResult | undefined): Html =>
  result ? html`<span>last run</span> ${resultMark(result)}` : html`<span class="none">never run</span>`;
