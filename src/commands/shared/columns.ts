// Columns that several commands show.
import { authorColumn, chart, column, figure, moment } from '../../terminal/column.ts';

export const valColumns = [
  column('name'),
  column('privacy', 'privacy', 'public'),
  column('version'),
  authorColumn('author.username', 'author'),
  moment('created', 'createdAt'),
  moment('updated', 'updatedAt', 'versionCreatedAt'),
  column('id'),
];

export const runColumns = [
  moment('started', 'runStartAt', 'startedAt', 'createdAt'),
  { ...moment('ended', 'runEndAt', 'endedAt'), droppable: true },
  column('val', 'val.name', 'valName'),
  column('version', 'val.version', 'version'),
  column('error', 'error.message', 'error'),
  column('id'),
];

export const summaryColumns = [
  column('val'),
  column('version'),
  column('runs'),
  column('failed'),
  figure('errors', 'errorRate', percentage),
  figure('p50', 'p50Ms', duration),
  figure('p95', 'p95Ms', duration),
  chart('over time', 'buckets'),
];

function percentage(part: number): string {
  if (part > 0 && part < 0.001) return '<0.1%';
  return `${Number((100 * part).toFixed(1))}%`;
}

function duration(ms: number): string {
  if (ms < 1_000) return `${ms}ms`;
  if (ms < 60_000) return `${(ms / 1_000).toFixed(1)}s`;
  const minutes = Math.floor(ms / 60_000);
  return minutes < 60
    ? `${minutes}m ${Math.floor(ms / 1_000) % 60}s`
    : `${Math.floor(minutes / 60)}h ${minutes % 60}m`;
}
