import { PassThrough } from 'node:stream';
import { isCtrlC } from '../core/errors.ts';
import { type SuperviseOptions, supervise } from './process/supervise.ts';
import type { ValueKind } from './protocol.ts';

export interface RunOptions extends Omit<SuperviseOptions, 'onEvent'> {
  maxSeconds: number | undefined;
  signal: AbortSignal;
}

export interface StartedRun {
  kind: Promise<ValueKind>;
  /** The value, as it comes. The end of the val may be later. */
  pieces: AsyncIterable<Buffer>;
  beganAt(): number;
  /** Throws if the run failed. */
  finished(): Promise<{ wasCutOff: boolean }>;
  end(): void;
}

const mostSecondsAfterReturn = 5;
const cutOff = Symbol('the val still worked after it had returned');

export function startRun({ maxSeconds, signal, ...options }: RunOptions): StartedRun {
  const { clock } = options;
  let announce: (kind: ValueKind) => void = () => {};
  const kind = new Promise<ValueKind>((resolve) => {
    announce = resolve;
  });
  let cancelLateEnd = () => {};
  const val = supervise({
    ...options,
    onEvent(event) {
      if (event.kind === 'value') announce(event.of);
      if (event.kind === 'returned')
        cancelLateEnd = clock.after(mostSecondsAfterReturn * 1_000, () => val.endBecause(cutOff));
    },
  });
  const cancelLimit = maxSeconds === undefined ? () => {} : val.limitTo(maxSeconds);
  const interrupt = () => val.endBecause(signal.reason, isCtrlC(signal.reason) ? 'SIGINT' : 'SIGTERM');
  signal.addEventListener('abort', interrupt);
  if (signal.aborted) interrupt();
  const ended = val.ended.finally(() => {
    cancelLimit();
    cancelLateEnd();
    signal.removeEventListener('abort', interrupt);
    announce('none');
  });
  const pieces = val.value.pipe(new PassThrough());
  // The reader of the output has left.
  pieces.once('close', () => val.value.resume());

  return {
    kind,
    pieces,
    beganAt: val.beganAt,
    async finished() {
      const reason = await ended;
      if (reason !== undefined && reason !== cutOff) throw reason;
      return { wasCutOff: reason === cutOff };
    },
    end: () => val.endBecause(undefined),
  };
}
