import type { Context } from '../../core/command-line/command.ts';
import { ValsError } from '../../core/errors.ts';
import { ifPresent } from '../../core/http/api.ts';
import type { JsonObject } from '../../core/lib/json.ts';
import { mostErrorBytes } from '../../core/lib/vals.ts';
import * as routes from '../../core/routes.ts';
import type { RunTarget } from '../target.ts';

export interface FinishedRun {
  runStartAt: string;
  runEndAt: string;
  error: string | null;
  logs: string;
}

/** Records a run of a val of the service. A run of a file is none. */
export async function recordRun(
  { out: { say }, host: { signal } }: Context,
  target: RunTarget,
  run: FinishedRun,
): Promise<JsonObject | undefined> {
  if (target.kind === 'file' || signal.aborted) return undefined;
  const { api, known } = target;
  const notRecorded = (reason: string) => say({ kind: 'lines', text: `Not recorded: ${reason}\n` });
  if (known === undefined) return void notRecorded('the service sent no version with the val.');
  const { id, name, version } = known;
  try {
    const sent = await ifPresent(() => api.record(routes.reportRun(id, { version, ...run })));
    if (sent === undefined) return void notRecorded('the service does not record runs.');
    return { val: { id, name: name ?? null, version }, ...run, ...sent };
  } catch (error) {
    if (!(error instanceof ValsError)) throw error;
    if (!signal.aborted) say({ kind: 'warning', text: `The run was not recorded: ${error.message}` });
    return undefined;
  }
}

/** What a run was, without the token: `logs` has none, and the error may. */
export function finishedRun(
  {
    startedAt,
    endedAt,
    failure,
    logs,
  }: { startedAt: number; endedAt: number; failure?: ValsError | undefined; logs: string },
  redact: (text: string) => string,
): FinishedRun {
  const body = failure?.facts.body;
  const error = failure && redact(typeof body === 'string' ? body : failure.message);
  return {
    runStartAt: new Date(startedAt).toISOString(),
    runEndAt: new Date(endedAt).toISOString(),
    error: error === undefined ? null : shortened(error),
    logs,
  };
}

/** As JSON, a character has at most 6 bytes. The service refuses halves of characters. */
const shortened = (error: string): string =>
  error.slice(0, Math.floor(mostErrorBytes / 6)).replace(/\p{Surrogate}/gu, '\ufffd');
