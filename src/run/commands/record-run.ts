import type { Context } from '../../core/command-line/command.ts';
import { createValFinder } from '../../core/command-line/resolve-vals.ts';
import { NotFoundError, undefinedIf, ValsError } from '../../core/errors.ts';
import { createValList } from '../../core/find-val/val-list.ts';
import { type Api, ifPresent } from '../../core/http/api.ts';
import { codeOf, versionOf } from '../../core/http/record-fields.ts';
import { type JsonObject, textAt } from '../../core/lib/json.ts';
import { isSameCode, mostErrorBytes } from '../../core/lib/vals.ts';
import { visible } from '../../core/lib/visible.ts';
import { within } from '../../core/lib/waiting.ts';
import * as routes from '../../core/routes.ts';
import { onlyOnce } from '../launch.ts';
import type { Entry } from '../modules/modules.ts';
import type { KnownVersion, RunTarget } from '../target.ts';

export interface FinishedRun {
  runStartAt: string;
  runEndAt: string;
  error: string | null;
  logs: string;
}

/** Asks at once which val has the code. The function that it returns records a run of that code. */
export type BeginRecord = (entry: Entry, importsFiles: boolean) => RecordRun;
export type RecordRun = (run: FinishedRun) => Promise<JsonObject | undefined>;

const mostSeconds = 5;

export function createRecorder(context: Context, target: RunTarget): BeginRecord {
  const {
    out: { say },
    host: { signal, clock },
  } = context;
  let connection = target.kind === 'service' ? Promise.resolve(target.api) : undefined;
  const connect = () => (connection ??= context.api({ mostMs: mostSeconds * 1_000 }));
  const notRecorded = onlyOnce((reason) =>
    say({ kind: 'lines', text: `Not recorded: ${visible(reason)}\n` }),
  );

  return (entry, importsFiles) => {
    const finding =
      importsFiles && target.kind === 'file'
        ? Promise.resolve(`${entry.name} imports files beside it, which are no part of the val.`)
        : findVersion(besideVal(context, connect), target, entry);
    // The error is reported when the run is over.
    finding.catch(() => {});
    return async (run) => {
      // Nobody waits long for a run that is over.
      const seconds = Math.min(mostSeconds, context.settings.timeout.value);
      const tooSlow = `its val was not found within ${seconds} s.`;
      const version = await within(clock, seconds * 1_000, finding.catch(messageOf), tooSlow);
      if (signal.aborted) return undefined;
      if (typeof version === 'string') return void notRecorded(version);
      const sent = await connect()
        .then((api) => sendRun(api, version, run))
        .catch(messageOf);
      if (typeof sent === 'object') return sent;
      if (sent === undefined) notRecorded('the service does not record runs.');
      else if (!signal.aborted) say({ kind: 'warning', text: `The run was not recorded: ${sent}` });
      return undefined;
    };
  };
}

function messageOf(error: unknown): string {
  if (error instanceof ValsError) return error.message;
  throw error;
}

/** The version of the val that has the code, or why the run cannot be recorded. */
type Found = KnownVersion | string;

const noVersion = 'the service sent no version with the val.';

/** A run whose requests show no progress line, because the val writes to the terminal. */
function besideVal(context: Context, connect: () => Promise<Api>): Context {
  const valList = createValList(connect, context.vals.seen);
  return { ...context, api: connect, vals: { ...context.vals, valList, connect } };
}

async function findVersion(context: Context, target: RunTarget, entry: Entry): Promise<Found> {
  if (target.kind === 'service') return target.known ?? noVersion;
  const { settings } = context;
  if (!settings.local.value && settings.baseUrl === undefined) {
    return 'no service is chosen. Sign in, or add --local for the embedded service.';
  }
  // The connection opens while the val runs.
  await context.api();
  const find = createValFinder(context, { isForWriting: true });
  const val = await find(target.path).catch(undefinedIf(NotFoundError));
  if (val?.read === undefined) return `the service has no val for ${entry.name}. Push it first.`;
  const { id } = val;
  const { record } = val.read;
  const name = textAt(record, 'name');
  const version = versionOf(record);
  if (isSameCode(entry.code, codeOf(record)))
    return version === undefined ? noVersion : { id, name, version };
  const other = version === undefined ? 'the code on the service' : `version ${version}`;
  return `${entry.name} differs from ${other}. Push it first.`;
}

async function sendRun(
  api: Api,
  { id, name, version }: KnownVersion,
  run: FinishedRun,
): Promise<JsonObject | undefined> {
  const sent = await ifPresent(() => api.record(routes.reportRun(id, { version, ...run })));
  return sent && { val: { id, name: name ?? null, version }, ...run, ...sent };
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
