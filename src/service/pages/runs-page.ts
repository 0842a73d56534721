import { createRunSummary, type RunSummary } from '../../core/commands/runs/run-summary.ts';
import { accessOf } from '../admit.ts';
import type { ServiceReply } from '../request.ts';
import { nextOf, type TimePosition, timePositions } from '../store/positions.ts';
import { listRuns, type RunPage, type RunSelection, runsOfVal } from '../store/runs.ts';
import { visibleVal } from '../store/vals.ts';
import { type Html, html } from './html.ts';
import { pageReply } from './page-layout.ts';
import { card, counted, emptyNote, pager, valAddress } from './parts.ts';
import { durationText, runRow, shownRun } from './run-parts.ts';
import type { PageView, Visit } from './visitor.ts';

const runsOnPage = 20;
/** More of them would make the page of 100,000 runs slower than that of ten. */
const mostSummarized = 100;

const hourMs = 3_600_000;
const periodNames = ['hour', 'day', 'week'] as const;
const periods = { hour: hourMs, day: 24 * hourMs, week: 7 * 24 * hourMs };

interface WantedRuns {
  val?: string;
  error?: boolean;
  last?: keyof typeof periods;
  after: TimePosition | undefined;
}

export async function runsPage({ db, request, view }: Visit, wanted: WantedRuns): Promise<ServiceReply> {
  const { val: id, error: failed, last: period, after } = wanted;
  const access = accessOf(request);
  const val = id === undefined ? undefined : await visibleVal(db, access, id);
  const since = period && new Date(view.now - periods[period]).toISOString();
  const read = (given: RunSelection) =>
    val ? runsOfVal(db, access, val.id, { ...given, since }) : listRuns(db, access, { ...given, since });
  const runs = await read({ limit: runsOnPage, error: failed, after });
  const next = nextOf(runs, timePositions);
  const addressOf = (parameters: Record<string, string | undefined>) => {
    const given = Object.entries({ val: val?.id, ...parameters }).flatMap(([name, value]) =>
      value === undefined ? [] : [`${name}=${encodeURIComponent(value)}`],
    );
    return `${view.base}/runs${given.length > 0 ? `?${given.join('&')}` : ''}`;
  };
  const filter = { error: failed === undefined ? undefined : `${failed}`, last: period };
  const choice = (label: string, chosen: typeof filter) => {
    const isCurrent = chosen.error === filter.error && chosen.last === filter.last;
    return html`<a href="${addressOf(chosen)}"${isCurrent ? html` aria-current="true"` : ''}>${label}</a> `;
  };
  const rows = runs.items.map(({ item: run }) => runRow(view, shownRun(run), { withVal: val === undefined }));
  const of = val ? html` of <a href="${valAddress(view.base, val.id)}">${val.name}</a>` : '';
  const list = rows.length === 0 ? emptyNote(noRuns(wanted)) : html`<ul class="runs">${rows}</ul>`;
  return pageReply(view, {
    title: val ? `Runs of ${val.name}` : 'Runs',
    main: html`<h1>Runs${of}</h1>
${summaryCard(view, await read({ limit: mostSummarized }))}
<nav class="choices" aria-label="Which runs">${choice('All runs', { ...filter, error: undefined })}${choice('Failed runs', { ...filter, error: 'true' })}</nav>
<nav class="choices" aria-label="Of which time">${choice('Of all time', { ...filter, last: undefined })}${periodNames.map((name) => choice(`Last ${name}`, { ...filter, last: name }))}</nav>
<section class="card">${list}</section>
${pager({ first: after && addressOf(filter), next: next && addressOf({ ...filter, after: next }) })}`,
  });
}

function noRuns({ error: failed, last }: WantedRuns): Html {
  if (failed === undefined && last === undefined)
    return html`No runs yet. Run a val: <code>vals run hello</code>`;
  const result = failed === undefined ? '' : ` that ${failed ? 'failed' : 'did not fail'}`;
  return html`There is no run${result}${last === undefined ? '' : ` in the last ${last}`}.`;
}

const mostRows = 10;

/** Of the newest runs. `more` says whether there are older ones. */
function summaryCard(view: PageView, { items, more }: RunPage): Html | undefined {
  const summarized = items.map(({ item }) => shownRun(item));
  const summary = createRunSummary();
  for (const { val, result, runStartAt, durationMs } of summarized) {
    summary.add({
      valKey: val.id,
      // The row has the id, because a name may have belonged to two vals.
      valName: val.id,
      version: val.version,
      failed: result === 'failed',
      startedAt: Date.parse(runStartAt),
      durationMs,
    });
  }
  const rows = summary.rows(mostRows);
  if (rows.length === 0) return undefined;
  const total = summary.total();
  const left = summary.rowCount() - rows.length;
  const which = more ? `The latest ${counted(total.runs, 'run')}` : counted(total.runs, 'run');
  const linkOf = (id: string | null) => {
    const name = summarized.find(({ val }) => val.id === id)?.val.name;
    return html`<a href="${valAddress(view.base, id ?? '')}">${name}</a>`;
  };
  const content = html`<div class="chart">${bars(total, 'wide')}</div><div class="scroll" tabindex="0" role="region" aria-label="Summary"><table>
<thead><tr><th>Val</th><th class="number">Version</th><th class="number">Runs</th><th class="number">Failed</th><th class="number">Errors</th><th class="number">p50</th><th class="number">p95</th><th>Over time</th></tr></thead>
<tbody>${rows.map((row) => summaryRow(row, linkOf(row.val)))}</tbody></table></div>
${left > 0 ? emptyNote(`${counted(left, 'row')} more: vals runs --summary`) : ''}`;
  return card('Summary', content, html`<span>${which}, ${total.failed} failed</span>`);
}

function summaryRow(row: RunSummary, val: Html): Html {
  const { version, runs, failed, errorRate, p50Ms, p95Ms } = row;
  const duration = (ms: number | null) => (ms === null ? '' : durationText(ms));
  const count = failed > 0 ? html`<span class="bad">✗ ${failed}</span>` : '0';
  return html`<tr><th scope="row">${val}</th><td class="number">${typeof version === 'number' ? version : ''}</td><td class="number">${runs}</td><td class="number">${count}</td><td class="number">${Math.round(errorRate * 100)}%</td><td class="number">${duration(p50Ms)}</td><td class="number">${duration(p95Ms)}</td><td>${bars(row)}</td></tr>
`;
}

const barHeight = 24;

/** The bars of `vals runs --summary`: one for each part of the time, the failed runs of it at the bottom. */
function bars({ buckets, runs, failed }: RunSummary, size = ''): Html {
  const most = Math.max(1, ...buckets.map((bucket) => bucket.runs));
  const drawn = buckets.map((bucket, index) => (bucket.runs === 0 ? undefined : bar(bucket, index, most)));
  const label = `${counted(runs, 'run')} over time, ${failed} failed`;
  return html`<svg class="bars ${size}" viewBox="0 0 ${buckets.length * 5} ${barHeight}" preserveAspectRatio="none" role="img" aria-label="${label}">${drawn}</svg>`;
}

function bar({ from, runs, failed }: RunSummary['buckets'][number], index: number, most: number): Html {
  const heightOf = (count: number) => Math.max(2, Math.round((count / most) * barHeight * 10) / 10);
  const height = heightOf(runs);
  const rect = (kind: string, high: number) =>
    html`<rect class="${kind}" x="${index * 5}" y="${barHeight - high}" width="4" height="${high}"/>`;
  const text = `${from.slice(0, 16).replace('T', ' ')} UTC: ${counted(runs, 'run')}, ${failed} failed`;
  return html`<g data-from="${from}"><title>${text}</title>${rect('ran', height)}${failed > 0 ? rect('broke', Math.min(height, heightOf(failed))) : ''}</g>`;
}
