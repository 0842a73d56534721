import type { Readable } from 'node:stream';
import { endingFailure, thrownFailure, tookTooLong } from '../failed-run.ts';
import type { Answer, ValEvent } from '../protocol.ts';
import { type ProcessOptions, startProcess } from './process.ts';
import { readAsk } from './read-event.ts';

export interface SuperviseOptions extends ProcessOptions {
  onEvent(event: Exclude<ValEvent, { kind: 'failed' }>): void;
  onLog(bytes: Buffer): void;
}

/** A process of the val, and why it ends: the first reason counts. */
export interface Supervised {
  value: Readable;
  /** When the val asked for its first module. What is before is the start of vals and of Node. */
  beganAt(): number;
  endBecause(reason: unknown, signal?: NodeJS.Signals): void;
  /** Ends the val after so many seconds, unless the returned function is called before. */
  limitTo(seconds: number): () => void;
  /** No more requests come. The event `idle` says when those under way have been answered. */
  retire(): void;
  hasReason(): boolean;
  /** Undefined if the val ended by itself, without a failure. */
  ended: Promise<unknown>;
}

export function supervise(options: SuperviseOptions): Supervised {
  const { modules, clock, platform, retires: isServing } = options;
  const { name } = modules.entry;
  let reason: unknown;
  let beganAt: number | undefined;

  function onEvent(event: ValEvent): void {
    if (event.kind === 'failed') reason ??= thrownFailure(event.thrown, modules, { isServing, platform });
    else options.onEvent(event);
  }
  async function onAsk(line: string): Promise<Answer> {
    beganAt ??= clock.now();
    const asked = readAsk(line);
    return asked === undefined ? {} : modules.answer(asked);
  }
  const child = startProcess(options, { onEvent, onAsk, onLog: options.onLog });
  const endBecause = (why: unknown, signal?: NodeJS.Signals) => {
    reason ??= why;
    child.end(signal);
  };

  return {
    value: child.value,
    beganAt: () => beganAt ?? clock.now(),
    endBecause,
    limitTo: (seconds) => clock.after(seconds * 1_000, () => endBecause(tookTooLong(name, seconds))),
    retire: child.retire,
    hasReason: () => reason !== undefined,
    ended: child.ended.then((ending) => {
      if (isServing || ending.code !== 0) reason ??= endingFailure(name, ending);
      return reason;
    }),
  };
}
