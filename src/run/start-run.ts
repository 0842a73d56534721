import { PassThrough } from 'node:stream';
import { isCtrlC } from '../core/errors.ts';
import { endingFailure, thrownFailure, tookTooLong } from './failed-run.ts';
import { type ProcessOptions, startProcess, type ValProcess } from './process.ts';
import type { ValEvent, ValueKind } from './protocol.ts';

export interface RunOptions extends ProcessOptions {
  maxSeconds: number | undefined;
  signal: AbortSignal;
  onLog(bytes: Buffer): void;
}

export interface Run {
  kind: Promise<ValueKind>;
  /** The value, as it comes. The end of the val may be later. */
  pieces: AsyncIterable<Buffer>;
  beganAt: ValProcess['beganAt'];
  /** Throws if the run failed. */
  finished(): Promise<{ wasCutOff: boolean }>;
  end(): void;
}

const mostSecondsAfterReturn = 5;
const cutOff = Symbol('the val still worked after it had returned');

export function startRun({ maxSeconds, signal, onLog, ...options }: RunOptions): Run {
  const { clock, modules } = options;
  const { name } = modules.entry;
  /** Why vals ended the process, or what the val threw. The first reason counts. */
  let reason: unknown;
  let cancelLateEnd = () => {};
  let announce: (kind: ValueKind) => void = () => {};
  const kind = new Promise<ValueKind>((resolve) => {
    announce = resolve;
  });
  const child = startProcess(options, { onLog, onEvent: note });
  const pieces = child.value.pipe(new PassThrough());
  // The reader of the output has left.
  pieces.once('close', () => child.value.resume());

  function note(event: ValEvent): void {
    if (event.kind === 'value') announce(event.of);
    if (event.kind === 'failed') reason ??= thrownFailure(event.thrown, modules, { isServing: false });
    if (event.kind === 'returned')
      cancelLateEnd = clock.after(mostSecondsAfterReturn * 1_000, () => endBecause(cutOff));
  }

  function endBecause(why: unknown, name?: NodeJS.Signals): void {
    reason ??= why;
    child.end(name);
  }
  const cancelLimit =
    maxSeconds === undefined
      ? () => {}
      : clock.after(maxSeconds * 1_000, () => endBecause(tookTooLong(name, maxSeconds)));
  const interrupt = () => endBecause(signal.reason, isCtrlC(signal.reason) ? 'SIGINT' : 'SIGTERM');
  signal.addEventListener('abort', interrupt);
  if (signal.aborted) interrupt();
  const ended = child.ended.then((ending) => {
    cancelLimit();
    cancelLateEnd();
    signal.removeEventListener('abort', interrupt);
    announce('none');
    if (ending.code !== 0) reason ??= endingFailure(name, ending);
  });

  return {
    kind,
    pieces,
    beganAt: child.beganAt,
    async finished() {
      await ended;
      if (reason !== undefined && reason !== cutOff) throw reason;
      return { wasCutOff: reason === cutOff };
    },
    end: () => child.end(),
  };
}
