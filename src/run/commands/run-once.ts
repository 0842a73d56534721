import { stripVTControlCharacters } from 'node:util';
import type { Context } from '../../core/command-line/command.ts';
import { RunFailedError } from '../../core/errors.ts';
import { type JsonValue, parseIfJson } from '../../core/lib/json.ts';
import { endOfLogs, mostLogBytes } from '../../core/lib/vals.ts';
import { redactedBytes } from '../../core/lib/visible.ts';
import type { JsonResult, TextResult } from '../../core/output/out.ts';
import { type Launch, type LaunchInput, prepareLaunch } from '../launch.ts';
import { type StartedRun, startRun } from '../start-run.ts';
import { findTarget, type RunRequest, type RunTarget } from '../target.ts';
import { finishedRun, recordRun } from './record-run.ts';

export type RunOutput = JsonResult | TextResult;

export const defaultSeconds = 60;

export interface RunInput extends RunRequest, LaunchInput {
  args: string[];
  /** Undefined: no limit for a person, and 60 seconds for an agent or until the answer to a request begins. */
  maxTime?: number;
  noReport?: boolean;
  port?: number;
  host?: string;
}

export interface Invocation {
  context: Context;
  input: RunInput;
  target: RunTarget;
  launch: Launch;
}

export async function prepare(context: Context, input: RunInput): Promise<Invocation> {
  const target = await findTarget(context, input);
  const launch = prepareLaunch(context, input, target);
  return { context, input, target, launch };
}

export async function* runOnce(context: Context, input: RunInput): AsyncGenerator<RunOutput> {
  yield* run(await prepare(context, input), context.host.signal);
}

export async function* run(
  { context, input, target, launch }: Invocation,
  signal: AbortSignal,
  onFile: (path: string) => void = () => {},
): AsyncGenerator<RunOutput> {
  const {
    host: { clock, agent },
    flags,
    out: { say, redact },
  } = context;
  const asRecord = Boolean(flags.json || flags.ndjson || flags.fields);
  const entry = await target.load();
  say({ kind: 'progress' });
  let startedAt = clock.now();
  const logs = createLogs(redact);
  let value: JsonValue = null;
  let failure: RunFailedError | undefined;
  let isSilentScript = false;
  try {
    const modules = launch.modules(entry, onFile);
    const { hasDefaultExport } = await modules.compiled;
    const mode = hasDefaultExport ? 'call' : 'script';
    const stdout = mode === 'script' && !asRecord && agent === undefined ? 'stdout' : 'stderr';
    const started = startRun({
      ...launch.process(mode, modules, { args: input.args, stdout }),
      maxSeconds: input.maxTime ?? (agent ? defaultSeconds : undefined),
      signal,
      onLog: logs.add,
    });
    value = yield* show(started, entry.name, asRecord);
    startedAt = started.beganAt();
    const { wasCutOff } = await started.finished();
    if (wasCutOff)
      say({ kind: 'note', text: `${entry.name} was ended: it still worked 5 s after it had returned.` });
    isSilentScript = mode === 'script' && logs.isEmpty();
  } catch (error) {
    if (!(error instanceof RunFailedError)) throw error;
    failure = error;
  }
  const facts = { startedAt, endedAt: clock.now(), failure, logs: logs.text() };
  const finished = finishedRun(facts, redact);
  const recorded = input.noReport ? undefined : await recordRun(context, target, finished);
  if (failure !== undefined) {
    if (!flags.json && !flags.ndjson)
      for (const line of failure.facts.details ?? []) say({ kind: 'lines', text: line, despite: 'pipe' });
    throw agent ? new RunFailedError(failure.message, { ...failure.facts, logs: finished.logs }) : failure;
  }
  if (isSilentScript && !asRecord) {
    say({ kind: 'note', text: `${entry.name} ran, but it has no default export and printed nothing.` });
  }
  if (!asRecord) return;
  yield { kind: 'json', value: { value, run: { ...finished, ...recorded } } };
}

/** Prints the value as it comes, or returns it for a record. */
async function* show(
  { kind: announced, pieces, end, finished }: StartedRun,
  name: string,
  asRecord: boolean,
): AsyncGenerator<RunOutput, JsonValue> {
  let isRead = false;
  try {
    const kind = await announced;
    let value: JsonValue = null;
    if ((kind === 'text' || kind === 'bytes') && !asRecord) {
      yield { kind: 'text', text: kind === 'text' ? withNewline(pieces) : pieces };
    } else if (kind !== 'none') {
      const all: Buffer[] = [];
      for await (const piece of pieces) all.push(piece);
      const text = Buffer.concat(all).toString();
      const parsed = kind === 'json' ? parseIfJson(text) : text;
      if (parsed === undefined) {
        // A val that was ended has not sent all.
        await finished();
        throw new RunFailedError(`${name} wrote into what it returns, on a descriptor of vals.`);
      }
      value = parsed;
      if (kind === 'json' && !asRecord) yield { kind: 'json', value };
    }
    isRead = true;
    return value;
  } finally {
    // The reader of the output may have left, as `head` does.
    if (!isRead) {
      end();
      await finished().catch(() => {});
    }
  }
}

async function* withNewline(pieces: AsyncIterable<Buffer>): AsyncGenerator<Buffer> {
  let last: number | undefined;
  for await (const piece of pieces) {
    last = piece.at(-1);
    yield piece;
  }
  if (last !== '\n'.charCodeAt(0)) yield Buffer.from('\n');
}

export interface Logs {
  add(bytes: Buffer): void;
  isEmpty(): boolean;
  text(): string;
}

/** Keeps the last 64 KiB of what a val printed, without colours and without the token, which goes before anything is cut. */
export function createLogs(redact: (text: string) => string): Logs {
  let pieces: Buffer[] = [];
  let size = 0;
  const last = () => {
    const end = endOfLogs(redactedBytes(Buffer.concat(pieces), redact));
    pieces = [Buffer.from(end)];
    size = end.length;
    return end;
  };
  return {
    add(bytes) {
      pieces.push(Buffer.from(bytes));
      size += bytes.length;
      if (size > 2 * mostLogBytes) last();
    },
    isEmpty: () => size === 0,
    text: () => redact(stripVTControlCharacters(last().toString())),
  };
}
