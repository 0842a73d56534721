import { PassThrough } from 'node:stream';
import { isCtrlC } from '../errors.ts';
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
  pieces: AsyncIterable<Buffer>;
  /** When the val's process asked for its first module. What is before it is the start of vals and of Node. */
  beganAt(): number;
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
  let outcome: Outcome | undefined;
  let cancelLateEnd = () => {};

  const value = createValue({ pause: () => child.pause(), resume: () => child.resume() });
  let beganAt: number | undefined;
  const answer: Modules['answer'] = (request) => {
    beganAt ??= clock.now();
    return modules.answer(request);
  };
  const child = startProcess(options, { modules: { answer }, onLog, onEvent: note, onValue: value.add });

  function note(event: ValEvent): void {
    if (event.kind === 'value') value.begin(event.of);
    if (event.kind === 'failed') outcome ??= { kind: 'threw', thrown: event.thrown };
    if (event.kind !== 'returned') return;
    value.end();
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
    endBecause({ kind: 'interrupted', reason }, isCtrlC(reason) ? 'SIGINT' : 'SIGTERM');
  };
  signal.addEventListener('abort', interrupt);
  if (signal.aborted) interrupt();
  const ended = child.ended.then((ending): Outcome => {
    cancelLimit();
    cancelLateEnd();
    signal.removeEventListener('abort', interrupt);
    value.end();
    outcome ??= { kind: 'ended', ending };
    return outcome;
  });

  return {
    kind: value.kind,
    pieces: value.bytes,
    beganAt: () => beganAt ?? clock.now(),
    async finished() {
      const outcome = await ended;
      if (!isSuccess(outcome)) throw await failureOf(outcome, { name, modules, maxSeconds });
      return { wasCutOff: outcome.kind === 'cut off' };
    },
    end: () => child.end(),
  };
}

/** The value of the val, as it comes. If nobody reads it, the val's process waits. */
function createValue({ pause, resume }: { pause(): void; resume(): void }) {
  const bytes = new PassThrough({ writableHighWaterMark: mostUnreadBytes }).on('drain', resume);
  let announce: (kind: ValueKind) => void = () => {};
  const kind = new Promise<ValueKind>((resolve) => {
    announce = resolve;
  });
  return {
    kind,
    bytes,
    begin: (of: ValueKind) => announce(of),
    add(piece: Buffer): void {
      if (bytes.destroyed) return;
      if (!bytes.write(piece)) pause();
    },
    end(): void {
      announce('none');
      bytes.end();
    },
  };
}

const isSuccess = (outcome: Outcome): boolean =>
  outcome.kind === 'cut off' || (outcome.kind === 'ended' && outcome.ending.code === 0);

async function failureOf(
  outcome: Outcome,
  { name, modules, maxSeconds = 0 }: Pick<RunOptions, 'name' | 'modules' | 'maxSeconds'>,
): Promise<unknown> {
  const failures = await import('./failed-run.ts');
  switch (outcome.kind) {
    case 'cut off':
      return undefined;
    case 'interrupted':
      return outcome.reason;
    case 'took too long':
      return failures.tookTooLong(name, maxSeconds);
    case 'threw':
      return failures.thrownFailure(name, outcome.thrown, modules, { isServing: false });
    case 'ended':
      return failures.endingFailure(name, outcome.ending);
  }
}
