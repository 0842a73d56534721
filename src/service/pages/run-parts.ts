import type { RunResult, StoredRun } from '../store/runs.ts';
import { type Html, html } from './html.ts';
import { runAddress, timeHtml, valAddress } from './parts.ts';
import type { PageView } from './visitor.ts';

/** A run as the pages show it. */
export interface ShownRun extends StoredRun {
  durationMs: number | undefined;
  result: RunResult;
}

export function shownRun(run: StoredRun): ShownRun {
  const ms = run.runEndAt === null ? Number.NaN : Date.parse(run.runEndAt) - Date.parse(run.runStartAt);
  return { ...run, durationMs: ms >= 0 ? ms : undefined, result: resultOf(run) };
}

function resultOf({ error, runEndAt }: StoredRun): RunResult {
  if (error !== null) return 'failed';
  return runEndAt === null ? 'running' : 'ok';
}

const marks = {
  ok: html`<span class="good">✓ ok</span>`,
  failed: html`<span class="bad">✗ failed</span>`,
  running: html`<span class="none">… running</span>`,
};

export const resultMark = (result: RunResult): Html => marks[result];

export function durationText(ms: number): string {
  if (ms < 1_000) return `${Math.round(ms)} ms`;
  if (ms < 60_000) return `${(ms / 1_000).toFixed(1)} s`;
  const minutes = Math.floor(ms / 60_000);
  return minutes < 60
    ? `${minutes} min ${Math.floor(ms / 1_000) % 60} s`
    : `${Math.floor(minutes / 60)} h ${minutes % 60} min`;
}

const longestSummary = 200;

/** One run in a list. The name of the val is shown where runs of several vals are. */
export function runRow({ base, now }: PageView, run: ShownRun, { withVal }: { withVal: boolean }): Html {
  const { val, runStartAt, durationMs, reporter, error } = run;
  const name = withVal ? html`<a class="name" href="${valAddress(base, val.id)}">${val.name}</a> ` : '';
  const facts = [
    html`<span>version ${val.version}</span> `,
    html`<span>${timeHtml(runStartAt, now)}</span> `,
    ...(durationMs === undefined ? [] : [html`<span>${durationText(durationMs)}</span> `]),
    html`<span>by ${reporter.username}</span>`,
  ];
  const [firstLine = ''] = error?.split('\n') ?? [];
  const why = firstLine === '' ? '' : html`<p class="why">${firstLine.slice(0, longestSummary)}</p>`;
  return html`<li><a href="${runAddress(base, run.id)}">${resultMark(run.result)}<span class="hidden"> run</span></a> ${name}<span class="meta">${facts}</span>${why}</li>
`;
}
