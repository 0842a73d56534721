// SIGINT and SIGTERM: JavaScript hears them while it waits; while it computes, the system ends the process at once.
import { setMaxListeners } from 'node:events';

const exits = { SIGINT: 130, SIGTERM: 143 } as const;
type Ending = keyof typeof exits;
const endings = Object.keys(exits) as Ending[];

/** An interrupted command may take so long to end by itself; then the system ends it. */
const graceMs = 800;
/** The same after a shutdown that took its own time: a busy machine may be slow to end. */
const lateGraceMs = 3_000;

interface Hearing {
  signal: AbortSignal;
  /** The first signal that came. */
  ending?: Ending;
  /** Shutdowns that may take their own time, such as a server with requests under way. */
  pendingShutdowns: number;
  graceTimer?: NodeJS.Timeout;
  /** Parts of the work during which nobody listens. */
  unheardWork: number;
  listeners: [Ending, NodeJS.SignalsListener][];
  /** Leaves the terminal as it was, before work that the system may end. */
  cleanUp(): void;
}

/** Signals belong to the process, so there is one for all. Tests, which call `main` in their own process, have none. */
let hearing: Hearing | undefined;

/** Aborted by the first SIGINT or SIGTERM that is for us, with the error for its exit code. The second one ends the process. */
export function hearSignals(
  reasonFor: (exit: number) => Error,
  isForUs: (name: Ending) => boolean = () => true,
): AbortSignal {
  const controller = new AbortController();
  const { signal } = controller;
  // Node would warn the user of more than ten listeners.
  setMaxListeners(0, signal);
  const state: Hearing = { signal, pendingShutdowns: 0, unheardWork: 0, listeners: [], cleanUp() {} };
  for (const name of endings) {
    process.on(name, () => {
      if (!isForUs(name)) return;
      if (state.ending !== undefined) return endAs(name);
      state.ending = name;
      controller.abort(reasonFor(exits[name]));
      endSoon(state, name, graceMs);
    });
  }
  hearing = state;
  return signal;
}

/** Ends the process after a grace period, so that a stalled write cannot keep it alive. */
function endSoon(state: Hearing, name: Ending, ms: number): void {
  clearTimeout(state.graceTimer);
  const end = () => {
    if (state.pendingShutdowns === 0) endAs(name);
  };
  state.graceTimer = setTimeout(end, ms).unref();
}

function endAs(name: Ending): void {
  process.removeAllListeners(name);
  process.kill(process.pid, name);
}

/** Resolves once the signal is aborted. */
export const aborted = (signal: AbortSignal): Promise<void> =>
  new Promise((resolve) => {
    if (signal.aborted) resolve();
    else signal.addEventListener('abort', () => resolve());
  });

/** For a shutdown that takes its own time after an interrupt, such as that of a server with requests under way. */
export async function inOwnTime<T>(work: () => Promise<T>): Promise<T> {
  const state = hearing;
  if (state === undefined) return work();
  state.pendingShutdowns += 1;
  try {
    return await work();
  } finally {
    state.pendingShutdowns -= 1;
    if (state.ending !== undefined) endSoon(state, state.ending, lateGraceMs);
  }
}

/** Sets what is called before work that the system may end, so that the terminal is left as it was. */
export function beforeInterruptible(cleanUp: () => void): void {
  if (hearing !== undefined) hearing.cleanUp = cleanUp;
}

/**
 * For long computations that lose nothing when they end half-way. Signals reach JavaScript only between two turns of the
 * event loop, so we stop listening, and the system's default action is in force.
 */
export async function interruptible<T>(work: () => T | Promise<T>): Promise<T> {
  const state = hearing;
  if (state === undefined) return work();
  // Signals that came before would be lost, so they are heard first: the second turn begins with listening.
  for (let turn = 0; turn < 2; turn++) await new Promise(setImmediate);
  state.signal.throwIfAborted();
  state.cleanUp();
  if (state.unheardWork++ === 0) stopListening(state);
  try {
    return await work();
  } finally {
    if (--state.unheardWork === 0) listenAgain(state);
  }
}

/** For a pager or editor within such work: while another program has the terminal, Ctrl-C is its key. */
export async function whileHearing<T>(work: () => Promise<T>): Promise<T> {
  const state = hearing;
  if (state === undefined || state.unheardWork === 0) return work();
  listenAgain(state);
  try {
    return await work();
  } finally {
    stopListening(state);
  }
}

/** Removes the listeners of libraries too: a single one keeps the default action out. */
function stopListening(state: Hearing): void {
  state.listeners = endings.flatMap((name) =>
    process.listeners(name).map((listener): [Ending, NodeJS.SignalsListener] => [name, listener]),
  );
  for (const name of endings) process.removeAllListeners(name);
}

function listenAgain({ listeners }: Hearing): void {
  for (const [name, listener] of listeners) process.on(name, listener);
}
