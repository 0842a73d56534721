import type { Context } from '../../cli/context.ts';
import { RunFailedError } from '../../errors.ts';
import { type JsonValue, parseJson } from '../../lib/json.ts';
import { startRun } from '../../run/run.ts';
import { findTarget, type Target } from '../../run/target.ts';
import type { JsonResult, PiecesResult } from '../../terminal/result.ts';
import { type GivenRun, launchOptions } from './launch.ts';
import { createRecorder, finishedRun, type RecordRun } from './record.ts';

export type Shown = JsonResult | PiecesResult;

export interface Invocation {
  context: Context;
  given: GivenRun;
  target: Target;
  record: RecordRun;
}

export async function prepare(context: Context, given: GivenRun): Promise<Invocation> {
  const target = await findTarget(context, given);
  return { context, given, target, record: createRecorder(context, given, target) };
}

export async function* runOnce(context: Context, given: GivenRun): AsyncGenerator<Shown> {
  yield* run(await prepare(context, given), context.signal);
}

export async function* run(
  { context, given, target, record }: Invocation,
  signal: AbortSignal,
  onFile: (path: string) => void = () => {},
): AsyncGenerator<Shown> {
  const { clock, flags, progress, say } = context;
  const asRecord = Boolean(flags.json || flags.ndjson || flags.fields);
  const entry = await target.load();
  progress.stop();
  const startedAt = clock.now();
  const options = { ...launchOptions(context, given, target, entry), args: given.args, signal, onFile };
  const started = startRun(entry, options);
  let failure: RunFailedError | undefined;
  const noteFailure = (error: unknown) => {
    if (!(error instanceof RunFailedError)) throw error;
    failure = error;
  };
  let value: JsonValue = null;
  try {
    const kind = await started.kind;
    const pieces = started.pieces();
    if (kind === 'text' && !asRecord) {
      yield { kind: 'pieces', pieces: untilFailure(pieces, noteFailure) };
    } else {
      const text = await collect(given.val, pieces);
      if (kind === 'text') value = text;
      if (kind === 'json') value = parseValue(given.val, text);
      if (kind === 'json' && !asRecord) yield { kind: 'json', value };
    }
  } catch (error) {
    noteFailure(error);
  }
  const finished = finishedRun(startedAt, clock.now(), failure);
  const recorded = await record(entry, finished);
  if (failure !== undefined) {
    if (!flags.json && !flags.ndjson) for (const line of failure.details) say.line(line);
    throw failure;
  }
  if (started.isSilent() && !asRecord) {
    say.note(`${entry.name} ran, but it has no default export and printed nothing.`);
  }
  if (asRecord) yield { kind: 'json', value: { value, run: { ...finished, ...recorded } } };
}

async function* untilFailure(pieces: AsyncGenerator<Buffer>, onFailure: (error: unknown) => void) {
  try {
    yield* pieces;
  } catch (error) {
    onFailure(error);
  }
}

const largestValue = 64 * 1_048_576;

async function collect(name: string, pieces: AsyncGenerator<Buffer>): Promise<string> {
  const all: Buffer[] = [];
  let size = 0;
  for await (const piece of pieces) {
    size += piece.length;
    if (size > largestValue) {
      throw new RunFailedError(`${name} returned more than 64 MiB, which --json cannot print.`, {
        hint: 'Omit --json. Then the val can return a string or a Response of any length.',
      });
    }
    all.push(piece);
  }
  return Buffer.concat(all).toString();
}

function parseValue(name: string, text: string): JsonValue {
  try {
    return parseJson(text);
  } catch (error) {
    throw new RunFailedError(`${name} returned JSON that is ${(error as Error).message}.`, { cause: error });
  }
}
