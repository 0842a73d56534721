import { personAt } from '../../http/record-fields.ts';
import { readRun } from '../../http/run-record.ts';
import { isObject, type JsonValue, textAt } from '../../lib/json.ts';
import { firstLine } from '../../output/cell.ts';
import {
  authorColumn,
  type Column,
  cellText,
  column,
  figure,
  idColumn,
  longText,
  moment,
} from '../../output/column.ts';
import type { OutcomeStatus } from '../../output/out.ts';
import type { Glyphs, Style } from '../../output/style.ts';
import { duration } from '../../output/times.ts';

export const valColumns: Column[] = [
  column('name'),
  { ...column('privacy'), droppable: 5 },
  { ...column('version'), droppable: 4 },
  authorColumn('author.username', 'author'),
  { ...moment('created', 'createdAt'), droppable: 2 },
  { ...moment('updated', 'updatedAt', 'versionCreatedAt'), droppable: 3 },
  idColumn('id'),
];

/** Of vals that are the caller's. */
export const myValColumns: Column[] = [
  column('name'),
  { ...column('privacy'), droppable: 2 },
  { ...column('version'), droppable: 4 },
  { ...moment('changed', 'versionCreatedAt', 'updatedAt'), droppable: 3 },
  idColumn('id'),
];

export const byColumn: Column = {
  ...column('by', 'versionAuthor.username'),
  compute: (record) => personAt(record, 'versionAuthor'),
};

/** What a person asks for. The code is shown below it. */
export const shownValColumns: Column[] = [
  column('name'),
  column('privacy'),
  column('version'),
  moment('changed', 'versionCreatedAt', 'updatedAt', 'createdAt'),
  byColumn,
  column('url'),
  idColumn('id'),
  { ...column('readme'), compute: (val) => firstLine(textAt(val, 'readme') ?? '').text },
];

const runTones = { ok: 'green', failed: 'red', running: 'cyan' } as const;

const runStatus: Column = {
  ...column('status'),
  only: 'terminal',
  neverCut: true,
  compute(run) {
    const { failed, isRunning } = readRun(run);
    if (failed) return 'failed';
    return isRunning ? 'running' : 'ok';
  },
  present(status, _run, glyphs) {
    const tone = runTones[status as keyof typeof runTones];
    return { text: glyphs[status as keyof typeof runTones] + status, tone };
  },
};

const runError: Column = longText('error', ['error.message', 'error'], 'To see whole errors, add --full.');

export const runColumns: Column[] = [
  runStatus,
  { ...moment('started', 'runStartAt', 'startedAt', 'createdAt'), withHour: true, droppable: 5 },
  { ...moment('ended', 'runEndAt', 'endedAt'), only: 'pipe' },
  column('val', 'val.name', 'valName', 'val.id', 'valId'),
  { ...column('version', 'val.version', 'version'), droppable: 2 },
  {
    ...figure('took', 'took', duration),
    only: 'terminal',
    droppable: 3,
    compute: (run) => readRun(run).durationMs,
  },
  { ...runError, droppable: 4 },
  idColumn('id'),
];

/** The error matters most, and the status least. */
export const failedRunColumns: Column[] = runColumns.map((column) => {
  if (column === runStatus) return { ...column, droppable: 0 };
  return column.header === runError.header ? runError : column;
});

export const summaryColumns: Column[] = [
  column('val'),
  { ...column('version'), neverCut: true },
  { ...column('runs'), neverCut: true },
  { ...column('failed'), droppable: 4 },
  figure('errors', 'errorRate', percentage),
  { ...figure('p50', 'p50Ms', duration), droppable: 1 },
  { ...figure('p95', 'p95Ms', duration), droppable: 3 },
  {
    ...column('over time', 'buckets'),
    only: 'terminal',
    neverCut: true,
    droppable: 2,
    present: (_buckets, { buckets }, glyphs) => ({ text: sparkline(buckets, glyphs) }),
  },
];

export const outcomeMarks: Record<
  OutcomeStatus,
  { mark: (keyof Glyphs & ('ok' | 'failed')) | ''; tone: keyof Style }
> = {
  created: { mark: 'ok', tone: 'green' },
  pushed: { mark: 'ok', tone: 'green' },
  sent: { mark: 'ok', tone: 'green' },
  pulled: { mark: 'ok', tone: 'green' },
  merged: { mark: 'ok', tone: 'green' },
  deleted: { mark: 'ok', tone: 'green' },
  unchanged: { mark: '', tone: 'dim' },
  behind: { mark: '', tone: 'cyan' },
  kept: { mark: '', tone: 'dim' },
  skipped: { mark: '', tone: 'yellow' },
  failed: { mark: 'failed', tone: 'red' },
  planned: { mark: '', tone: 'cyan' },
};

export const outcomeColumn: Column = {
  ...column('status'),
  neverCut: true,
  present(status, _outcome, glyphs) {
    const { mark, tone } = outcomeMarks[status as OutcomeStatus] ?? { mark: '', tone: 'dim' };
    return { text: (mark === '' ? ' '.repeat(glyphs.ok.length) : glyphs[mark]) + status, tone };
  },
};

export const versionColumn: Column = {
  ...column('version'),
  droppable: 3,
  present(version, { versionBefore }, { arrow }) {
    const before = cellText(versionBefore);
    const isNew = before === '' || version === '' || before === version;
    return { text: isNew ? version : `${before} ${arrow} ${version}` };
  },
};

export const fileColumn: Column = { ...column('file'), droppable: 2 };

function percentage(part: number): string {
  if (part > 0 && part < 0.001) return '<0.1%';
  return `${Number((100 * part).toFixed(1))}%`;
}

/** One character for each part of the time, the higher the more runs there were. */
function sparkline(buckets: JsonValue | undefined, { bars }: Glyphs): string {
  const counts = Array.isArray(buckets) ? buckets.map(countOf) : [];
  const most = Math.max(...counts);
  return counts
    .map((count) => (count === 0 ? ' ' : (bars[Math.ceil((count / most) * bars.length) - 1] ?? '')))
    .join('');
}

const countOf = (bucket: JsonValue): number => (isObject(bucket) && Number(bucket.runs)) || 0;
