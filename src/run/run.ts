// One run: the val's process from its start to its end, its value as it comes, or why there is none.

import type { RunFailedError } from '../errors.ts';
import type { Clock } from '../lib/clock.ts';
import { endingFailure, neverFinished, thrownFailure, tookTooLong } from './failure.ts';
import { startProcess } from './process.ts';
import type { Report } from './protocol.ts';
import { createSources, type Entry, type Sources } from './sources.ts';

export interface RunOptions {
  entry: Entry;
  args: readonly string[];
  maxSeconds: number;
  /** What Node is given before the program. */
  flags: readonly string[];
  /** The file that the process begins with. */
  program: string;
  env: NodeJS.ProcessEnv;
  signal: AbortSignal;
  clock: Clock;
}

export interface Run {
  sources: Sources;
  /** Rejects where the val failed before it gave a value. */
  kind: Promise<'text' | 'json' | 'none'>;
  /** The value, piece by piece; throws where the val failed half-way. To be read to its end, or returned from. */
  pieces(): AsyncGenerator<Buffer>;
}

/** More than this waits in the pipe, and so in the val. */
const mostWaitingBytes = 4 * 1_048_576;

export function startRun({ entry, args, maxSeconds, signal, clock, ...options }: RunOptions): Run {
  const waiting: Buffer[] = [];
  let waitingBytes = 0;
  let wake: () => void = () => {};
  let kind: 'text' | 'json' | 'none' | undefined;
  let failure: RunFailedError | undefined;
  let interrupted: unknown;
  let done = false;

  // The process starts while its code is being made ready.
  const child = startProcess({
    ...options,
    onReport(report) {
      take(report);
      wake();
    },
    onBytes(bytes) {
      waiting.push(bytes);
      waitingBytes += bytes.length;
      if (waitingBytes > mostWaitingBytes) child.pause();
      wake();
    },
  });
  const sources = createSources(entry);
  child.send({ start: { entry: sources.entry(), args: [...args] } });

  const giveUp = clock.after(maxSeconds * 1_000, () => {
    failure ??= tookTooLong(entry.name, maxSeconds);
    child.end();
    wake();
  });
  const interrupt = () => {
    interrupted = signal.reason;
    child.end();
    wake();
  };
  signal.addEventListener('abort', interrupt, { once: true });
  if (signal.aborted) interrupt();
  const ended = child.ended.then((ending) => {
    giveUp();
    signal.removeEventListener('abort', interrupt);
    if (!done) failure ??= endingFailure(entry.name, ending);
    done = true;
    wake();
  });

  function take(report: Report): void {
    if ('load' in report) {
      const { load, specifier, from } = report;
      child.send({ answer: load, module: sources.answer(specifier, from) });
    } else if ('value' in report) {
      kind = report.value;
    } else if ('done' in report) {
      done = true;
    } else if ('unfinished' in report) {
      failure ??= neverFinished(entry.name);
    } else if ('failed' in report) {
      failure ??= thrownFailure(entry.name, report.failed, sources);
    }
  }

  async function until(condition: () => boolean): Promise<void> {
    while (!condition()) {
      await new Promise<void>((resolve) => {
        wake = resolve;
      });
    }
  }

  async function kindOfValue(): Promise<'text' | 'json' | 'none'> {
    await until(() => kind !== undefined || failure !== undefined || interrupted !== undefined || done);
    if (kind !== undefined) return kind;
    if (failure === undefined && interrupted === undefined) return 'none';
    await ended;
    throw interrupted ?? failure;
  }

  async function* pieces(): AsyncGenerator<Buffer> {
    try {
      for (;;) {
        await until(() => waiting.length > 0 || failure !== undefined || interrupted !== undefined || done);
        const piece = waiting.shift();
        if (piece === undefined) break;
        waitingBytes -= piece.length;
        if (waitingBytes <= mostWaitingBytes) child.resume();
        yield piece;
      }
      if (interrupted === undefined && failure === undefined) await ended;
      if (interrupted !== undefined || failure !== undefined) throw interrupted ?? failure;
    } finally {
      child.end();
      await ended;
    }
  }

  return { sources, kind: kindOfValue(), pieces };
}
