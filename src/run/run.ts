// One run of a val: its process from start to end, and its value as it arrives.
import type { Clock } from '../lib/clock.ts';
import { type Ending, type ProcessOptions, startProcess } from './process.ts';
import type { Report, Thrown, ValueKind } from './protocol.ts';
import type { Entry, SourceOptions } from './sources.ts';

/** The options for starting the process of a val, apart from its code. */
export interface LaunchOptions extends SourceOptions, ProcessOptions {
  maxSeconds: number;
  clock: Clock;
}

export interface RunOptions extends LaunchOptions {
  args: readonly string[];
  signal: AbortSignal;
}

export interface Run {
  /** Rejects if the val failed before it returned a value. */
  kind: Promise<ValueKind>;
  /** The value in pieces. Throws if the val failed half-way. Read it to its end, or return from it. */
  pieces(): AsyncGenerator<Buffer>;
  /** Whether the val exported nothing to call, and printed nothing. Known after the last piece. */
  isSilent(): boolean;
}

/** Why the run failed. */
type End =
  | { interrupted: unknown }
  | { tooLong: true }
  | { unfinished: true }
  | { garbage: true }
  | { thrown: Thrown }
  | Ending;

/** If more bytes wait to be read, the val has to wait. */
const mostWaitingBytes = 4 * 1_048_576;

export function startRun(entry: Entry, { args, maxSeconds, signal, clock, ...options }: RunOptions): Run {
  const waiting: Buffer[] = [];
  let waitingBytes = 0;
  let wake: () => void = () => {};
  let kind: ValueKind | undefined;
  let isDone = false;
  let isSilent = false;
  let end: End | undefined;

  const child = startProcess(options, {
    onReport: (report) => void take(report),
    onBytes(bytes) {
      waiting.push(bytes);
      waitingBytes += bytes.length;
      if (waitingBytes > mostWaitingBytes) child.pause();
      wake();
    },
    onGarbage: () => endWith({ garbage: true }),
  });
  // The transpiler is loaded while the process starts.
  const sources = import('./sources.ts').then(({ createSources }) => createSources(entry, options));
  void sources.then(async (sources) =>
    child.send({ start: { entry: await sources.entry(), args: [...args] } }),
  );

  function endWith(reason: End): void {
    end ??= reason;
    child.end();
  }
  const cancelLimit = clock.after(maxSeconds * 1_000, () => endWith({ tooLong: true }));
  const interrupt = () => endWith({ interrupted: signal.reason });
  signal.addEventListener('abort', interrupt);
  if (signal.aborted) interrupt();
  const ended = child.ended.then((ending) => {
    cancelLimit();
    signal.removeEventListener('abort', interrupt);
    // Exit code 0 without a report is no failure: a val may call process.exit(0).
    if (!isDone && ending.code !== 0) end ??= ending;
    isDone = true;
    wake();
  });

  async function take(report: Report): Promise<void> {
    if ('load' in report) {
      const { specifier, from } = report.load;
      return child.send({ module: await (await sources).answer(specifier, from) });
    }
    if ('value' in report) kind = report.value;
    else if ('failed' in report) end ??= { thrown: report.failed };
    else if ('unfinished' in report) end ??= { unfinished: true };
    else if ('done' in report) {
      isDone = true;
      isSilent = report.isSilent === true;
    }
    wake();
  }

  async function until(condition: () => boolean): Promise<void> {
    while (!condition() && end === undefined && !isDone) {
      await new Promise<void>((resolve) => {
        wake = resolve;
      });
    }
  }

  async function failure(end: End): Promise<unknown> {
    if ('interrupted' in end) return end.interrupted;
    const failures = await import('./failure.ts');
    if ('tooLong' in end) return failures.tookTooLong(entry.name, maxSeconds);
    if ('unfinished' in end) return failures.neverFinished(entry.name);
    if ('garbage' in end) return failures.brokePipe(entry.name);
    if ('thrown' in end) return failures.thrownFailure(entry.name, end.thrown, await sources);
    return failures.endingFailure(entry.name, end);
  }

  async function kindOfValue(): Promise<ValueKind> {
    await until(() => kind !== undefined);
    if (kind !== undefined || end === undefined) return kind ?? 'none';
    child.end();
    await ended;
    throw await failure(end);
  }

  async function* pieces(): AsyncGenerator<Buffer> {
    try {
      for (;;) {
        await until(() => waiting.length > 0);
        const piece = waiting.shift();
        if (piece === undefined) break;
        waitingBytes -= piece.length;
        if (waitingBytes <= mostWaitingBytes) child.resume();
        yield piece;
      }
      if (end === undefined) await ended;
      if (end !== undefined) throw await failure(end);
    } finally {
      child.end();
      await ended;
    }
  }

  return { kind: kindOfValue(), pieces, isSilent: () => isSilent };
}
