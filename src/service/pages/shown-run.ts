import type { Run } from '../store/runs.ts';

/** A run as the pages show it. */
export interface ShownRun extends Run {
  durationMs: number | undefined;
  result: 'ok' | 'failed' | 'running';
}

export function shownRun(run: Run): ShownRun {
  const ms = run.runEndAt === null ? Number.NaN : Date.parse(run.runEndAt) - Date.parse(run.runStartAt);
  return { ...run, durationMs: ms >= 0 ? ms : undefined, result: resultOf(run) };
}

function resultOf({ error, runEndAt }: Run): ShownRun['result'] {
  if (error !== null) return 'failed';
  return runEndAt === null ? 'running' : 'ok';
}
