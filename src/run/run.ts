// One run: the val's process from its start to its end, its value as it comes, or why there is none.
import type { Clock } from '../lib/clock.ts';
import { type Ending, startProcess } from './process.ts';
import type { Report, Thrown } from './protocol.ts';
import type { Entry } from './sources.ts';

export interface RunOptions {
  entry: Entry;
  args: readonly string[];
  maxSeconds: number;
  /** Node or Deno, and what it is given before the program. */
  command: string;
  flags: readonly string[];
  /** The file that the process begins with. */
  program: string;
  env: NodeJS.ProcessEnv;
  cwd: string;
  signal: AbortSignal;
  clock: Clock;
  /** Of what is imported. */
  onFile(path: string): void;
}

type ValueKind = 'text' | 'json' | 'none';

export interface Run {
  /** Rejects where the val failed before it gave a value. */
  kind: Promise<ValueKind>;
  /** The value, piece by piece; throws where the val failed half-way. To be read to its end, or returned from. */
  pieces(): AsyncGenerator<Buffer>;
}

/** How it ended, where it did not end well. */
type End = { interrupted: unknown } | { tooLong: true } | { unfinished: true } | { thrown: Thrown } | Ending;

/** More than this waits in the pipe, and so in the val. */
const mostWaitingBytes = 4 * 1_048_576;

export function startRun({ entry, args, maxSeconds, signal, clock, onFile, ...options }: RunOptions): Run {
  const waiting: Buffer[] = [];
  let waitingBytes = 0;
  let wake: () => void = () => {};
  let kind: ValueKind | undefined;
  let isDone = false;
  let end: End | undefined;

  const child = startProcess({
    ...options,
    onReport: (report) => void take(report),
    onBytes(bytes) {
      waiting.push(bytes);
      waitingBytes += bytes.length;
      if (waitingBytes > mostWaitingBytes) child.pause();
      wake();
    },
  });
  // Loading what makes the code ready takes about as long as the start of the process, so it comes second.
  const sources = import('./sources.ts').then(({ createSources }) => createSources(entry, onFile));
  void sources.then((sources) => child.send({ start: { entry: sources.entry(), args: [...args] } }));

  const endWith = (reason: End) => {
    end ??= reason;
    child.end();
  };
  const cancelLimit = clock.after(maxSeconds * 1_000, () => endWith({ tooLong: true }));
  const interrupt = () => endWith({ interrupted: signal.reason });
  signal.addEventListener('abort', interrupt);
  if (signal.aborted) interrupt();
  const ended = child.ended.then((ending) => {
    cancelLimit();
    signal.removeEventListener('abort', interrupt);
    // A val may end itself with all in order.
    if (!isDone && ending.code !== 0) end ??= ending;
    isDone = true;
    wake();
  });

  async function take(report: Report): Promise<void> {
    if ('load' in report) {
      const { specifier, from } = report.load;
      return child.send({ module: (await sources).answer(specifier, from) });
    }
    if ('value' in report) kind = report.value;
    else if ('done' in report) isDone = true;
    else if ('unfinished' in report) end ??= { unfinished: true };
    else if ('failed' in report) end ??= { thrown: report.failed };
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

  return { kind: kindOfValue(), pieces };
}
