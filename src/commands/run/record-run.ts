import type { Context } from '../../cli/context.ts';
import { ValsError } from '../../errors.ts';
import type { JsonObject } from '../../lib/json.ts';
import { mostErrorBytes } from '../../lib/val-limits.ts';
import { visible } from '../../lib/visible.ts';
import type { Entry } from '../../run/modules.ts';
import type { FinishedRun } from '../../run/report.ts';
import type { FileTarget, KnownVersion, Target } from '../../run/target.ts';
import type { GivenRun } from './launch.ts';

export type RecordRun = (entry: Entry, run: FinishedRun) => Promise<JsonObject | undefined>;

const mostSeconds = 5;

export function createRecorder(context: Context, { noReport }: GivenRun, target: Target): RecordRun {
  if (noReport) return async () => undefined;
  const { settings, say, seen, clock } = context;
  const connect = () =>
    target.kind === 'service' ? target.api : context.connect({ mostMs: mostSeconds * 1_000 });
  const said = new Set<string>();
  const notRecorded = (reason: string) => {
    if (!said.has(reason)) say.banner(`Not recorded: ${visible(reason)}\n`);
    said.add(reason);
  };

  return async (entry, run) => {
    let version: KnownVersion | undefined;
    try {
      const found = target.kind === 'file' ? await findVersion(target, entry) : target.known;
      if (found === undefined || typeof found === 'string') {
        notRecorded(found ?? 'the service sent no version with the val.');
        return undefined;
      }
      version = found;
      const { sendRun } = await import('../../run/report.ts');
      const api = await connect();
      const sent = await sendRun(api, version, { ...run, logs: context.redact(run.logs) });
      if (sent === undefined) notRecorded('the service does not record runs.');
      return sent;
    } catch (error) {
      if (!(error instanceof ValsError)) throw error;
      if (context.signal.aborted) return undefined;
      if (version === undefined) notRecorded(error.message);
      else say.warn(`The run was not recorded: ${error.message}`);
      return undefined;
    }
  };

  async function findVersion({ path }: FileTarget, entry: Entry): Promise<KnownVersion | string> {
    if (!settings.local.value && settings.baseUrl === undefined) {
      return 'no service is chosen. Sign in, or add --local for the embedded service.';
    }
    const { findValOfFile } = await import('../../run/report.ts');
    const { createWorkspaces } = await import('../../workspace/workspaces.ts');
    const lookup = { api: await connect(), seen, clock, settings };
    const val = await findValOfFile(lookup, path, {
      workspaces: createWorkspaces(context),
      mostSeconds: Math.min(mostSeconds, settings.timeout.value),
    });
    if (val === undefined) return `the service has no val for ${entry.name}. Push the file first.`;
    if (val.code === entry.code) return val.known ?? 'the service sent no version with the val.';
    const other = val.known === undefined ? 'the code on the service' : `version ${val.known.version}`;
    return `${entry.name} differs from ${other}. Push the file first.`;
  }
}

export function finishedRun(
  startedAt: number,
  endedAt: number,
  failure: ValsError | undefined,
  logs: string,
): FinishedRun {
  const body = failure?.facts.body;
  return {
    runStartAt: new Date(startedAt).toISOString(),
    runEndAt: new Date(endedAt).toISOString(),
    error: failure === undefined ? null : shortened(typeof body === 'string' ? body : failure.message),
    logs,
  };
}

function shortened(error: string): string {
  // Unpaired surrogates (halves of a character) are replaced, because the service refuses them.
  const text = error.replace(/\p{Surrogate}/gu, '\ufffd');
  let bytes = 0;
  let length = 0;
  for (const character of text) {
    bytes += Buffer.byteLength(JSON.stringify(character)) - '""'.length;
    if (bytes > mostErrorBytes) break;
    length += character.length;
  }
  return text.slice(0, length);
}
