import { InterruptedError } from '../errors.ts';
import type { Modules } from './modules.ts';
import { type Ending, type ProcessOptions, startProcess } from './process.ts';
import type { Thrown, ValEvent, ValueKind } from './protocol.ts';

export interface RunOptions extends ProcessOptions {
  name: string;
  modules: Modules;
  maxSeconds: number | undefined;
  signal: AbortSignal;
  onLog(bytes: Buffer): void;
}

export interface Run {
  kind: Promise<ValueKind>;
  /** The value, as it comes. The end of the val may be later. */
  pieces(): AsyncGenerator<Buffer>;
  /** Throws if the run failed. */
  finished(): Promise<{ wasCutOff: boolean }>;
  end(): void;
}

type Outcome =
  | { kind: 'interrupted'; reason: unknown }
  | { kind: 'took too long' }
  | { kind: 'cut off' }
  | { kind: 'threw'; thrown: Thrown }
  | { kind: 'ended'; ending: Ending };

const mostSecondsAfterReturn = 5;
const mostUnreadBytes = 4 * 1_048_576;

export function startRun({ name, modules, maxSeconds, signal, onLog, ...options }: RunOptions): Run {
  const { clock } = options;
  const unread: Buffer[] = [];
  let unreadBytes = 0;
  let wake: () => void = () => {};
  let kind: ValueKind | undefined;
  let isReturned = false;
  let outcome: Outcome | undefined;
  let hasEnded = false;
  let cancelLateEnd = () => {};

  const child = startProcess(options, {
    modules,
    onLog,
    onEvent(event) {
      note(event);
      wake();
    },
    onValue(bytes) {
      unread.push(bytes);
      unreadBytes += bytes.length;
      if (unreadBytes > mostUnreadBytes) child.pause();
      wake();
    },
  });

  function note(event: ValEvent): void {
    if (event.kind === 'value') kind = event.of;
    if (event.kind === 'failed') outcome ??= { kind: 'threw', thrown: event.thrown };
    if (event.kind !== 'returned') return;
    isReturned = true;
    cancelLateEnd = clock.after(mostSecondsAfterReturn * 1_000, () => endBecause({ kind: 'cut off' }));
  }

  function endBecause(cause: Outcome, name?: NodeJS.Signals): void {
    outcome ??= cause;
    child.end(name);
  }
  const cancelLimit =
    maxSeconds === undefined
      ? () => {}
      : clock.after(maxSeconds * 1_000, () => endBecause({ kind: 'took too long' }));
  const interrupt = () => {
    const { reason } = signal;
    const isSigint = reason instanceof InterruptedError && reason.exit === 130;
    endBecause({ kind: 'interrupted', reason }, isSigint ? 'SIGINT' : 'SIGTERM');
  };
  signal.addEventListener('abort', interrupt);
  if (signal.aborted) interrupt();
  const ended = child.ended.then((ending) => {
    cancelLimit();
    cancelLateEnd();
    signal.removeEventListener('abort', interrupt);
    hasEnded = true;
    outcome ??= { kind: 'ended', ending };
    wake();
  });

  async function until(condition: () => boolean): Promise<void> {
    while (!condition() && !hasEnded) {
      await new Promise<void>((resolve) => {
        wake = resolve;
      });
    }
  }

  async function* pieces(): AsyncGenerator<Buffer> {
    for (;;) {
      await until(() => unread.length > 0 || isReturned);
      if (unread.length === 0) return;
      const piece = Buffer.concat(unread.splice(0));
      unreadBytes = 0;
      child.resume();
      yield piece;
    }
  }

  async function failureOf(outcome: Outcome): Promise<unknown> {
    const failures = await import('./failed-run.ts');
    switch (outcome.kind) {
      case 'cut off':
        return undefined;
      case 'interrupted':
        return outcome.reason;
      case 'took too long':
        return failures.tookTooLong(name, maxSeconds ?? 0);
      case 'threw':
        return failures.thrownFailure(name, outcome.thrown, modules, { isServing: false });
      case 'ended':
        return outcome.ending.code === 0 ? undefined : failures.endingFailure(name, outcome.ending);
    }
  }

  return {
    kind: until(() => kind !== undefined).then(() => kind ?? 'none'),
    pieces,
    async finished() {
      await ended;
      if (outcome !== undefined && !isSuccess(outcome)) throw await failureOf(outcome);
      return { wasCutOff: outcome?.kind === 'cut off' };
    },
    end: () => child.end(),
  };
}

const isSuccess = (outcome: Outcome): boolean =>
  outcome.kind === 'cut off' || (outcome.kind === 'ended' && outcome.ending.code === 0);
