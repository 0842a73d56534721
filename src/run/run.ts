import type { Clock } from '../lib/clock.ts';
import { type Ending, type ProcessOptions, startProcess } from './process.ts';
import type { Report, Thrown, ValueKind } from './protocol.ts';
import type { Entry, SourceOptions } from './sources.ts';

export interface LaunchOptions extends SourceOptions, ProcessOptions {
  maxSeconds: number;
  clock: Clock;
}

export interface RunOptions extends LaunchOptions {
  args: readonly string[];
  signal: AbortSignal;
}

export interface Run {
  kind: Promise<ValueKind>;
  /** The caller must read all pieces or end the generator. Otherwise the val may run until its time limit. */
  pieces(): AsyncGenerator<Buffer>;
  isSilent(): boolean;
}

type Cause =
  | { kind: 'interrupted'; reason: unknown }
  | { kind: 'took too long' }
  | { kind: 'never finished' }
  | { kind: 'broke the pipe' }
  | { kind: 'too many failed imports' }
  | { kind: 'threw'; thrown: Thrown }
  | { kind: 'ended'; ending: Ending };

const mostUnreadBytes = 4 * 1_048_576;
const mostUnreadPieces = 10_000;

export function startRun(entry: Entry, { args, maxSeconds, signal, clock, ...options }: RunOptions): Run {
  const waiting: Buffer[] = [];
  let waitingBytes = 0;
  let wake: () => void = () => {};
  let kind: ValueKind | undefined;
  let isDone = false;
  let isSilent = false;
  let cause: Cause | undefined;
  let isReading = true;

  const child = startProcess(options, {
    onReport: (report) => void take(report),
    onBytes(bytes) {
      if (!isReading) return;
      waiting.push(bytes);
      waitingBytes += bytes.length;
      if (waitingBytes > mostUnreadBytes || waiting.length > mostUnreadPieces) child.pause();
      wake();
    },
    onInvalidReport: () => endBecause({ kind: 'broke the pipe' }),
  });
  const sources = import('./sources.ts').then(({ createSources }) => createSources(entry, options));
  void sources.then(async (sources) =>
    child.send({ start: { entry: await sources.entry(), args: [...args] } }),
  );

  function endBecause(reason: Cause): void {
    cause ??= reason;
    child.end();
  }
  const cancelLimit = clock.after(maxSeconds * 1_000, () => endBecause({ kind: 'took too long' }));
  const interrupt = () => endBecause({ kind: 'interrupted', reason: signal.reason });
  signal.addEventListener('abort', interrupt);
  if (signal.aborted) interrupt();
  const ended = child.ended.then((ending) => {
    cancelLimit();
    signal.removeEventListener('abort', interrupt);
    void sources.then(({ stopTranspiling }) => stopTranspiling());
    // Exit code 0 is no failure, because a val may call process.exit(0).
    if (!isDone && ending.code !== 0) cause ??= { kind: 'ended', ending };
    isDone = true;
    wake();
  });

  async function take(report: Report): Promise<void> {
    if ('load' in report) {
      const { specifier, from } = report.load;
      const module = await (await sources).answer(specifier, from);
      if (module === undefined) return endBecause({ kind: 'too many failed imports' });
      return child.send({ module });
    }
    if ('value' in report) kind = report.value;
    else if ('failed' in report) cause ??= { kind: 'threw', thrown: report.failed };
    else if ('unfinished' in report) cause ??= { kind: 'never finished' };
    else if ('done' in report) {
      isDone = true;
      isSilent = report.isSilent === true;
    }
    wake();
  }

  async function until(condition: () => boolean): Promise<void> {
    while (!condition() && cause === undefined && !isDone) {
      await new Promise<void>((resolve) => {
        wake = resolve;
      });
    }
  }

  async function errorFor(cause: Cause): Promise<unknown> {
    const failures = await import('./failure.ts');
    switch (cause.kind) {
      case 'interrupted':
        return cause.reason;
      case 'took too long':
        return failures.tookTooLong(entry.name, maxSeconds);
      case 'never finished':
        return failures.neverFinished(entry.name);
      case 'broke the pipe':
        return failures.brokePipe(entry.name);
      case 'too many failed imports':
        return failures.tooManyFailedImports(entry.name);
      case 'threw':
        return failures.thrownFailure(entry.name, cause.thrown, await sources);
      case 'ended':
        return failures.endingFailure(entry.name, cause.ending);
    }
  }

  async function kindOfValue(): Promise<ValueKind> {
    await until(() => kind !== undefined);
    if (kind !== undefined || cause === undefined) return kind ?? 'none';
    child.end();
    await ended;
    throw await errorFor(cause);
  }

  /** The rest of the pipe must be read, because `ended` resolves only after the pipe was read to its end. */
  function dropUnread(): void {
    isReading = false;
    child.resume();
  }

  async function* pieces(): AsyncGenerator<Buffer> {
    try {
      for (;;) {
        await until(() => waiting.length > 0);
        if (waiting.length === 0) break;
        // Small pieces are joined, because the caller may keep them, and a Buffer of one byte takes a hundred bytes.
        const piece = Buffer.concat(waiting.splice(0));
        waitingBytes = 0;
        child.resume();
        yield piece;
      }
      dropUnread();
      if (cause === undefined) await ended;
      if (cause !== undefined) throw await errorFor(cause);
    } finally {
      dropUnread();
      child.end();
      await ended;
    }
  }

  return { kind: kindOfValue(), pieces, isSilent: () => isSilent };
}
