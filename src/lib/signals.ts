// Handles SIGINT and SIGTERM. JavaScript cannot handle a signal during a long computation, so the system ends the process then.
import { setMaxListeners } from 'node:events';

const exits = { SIGINT: 130, SIGTERM: 143 } as const;
type Ending = keyof typeof exits;
const endings = Object.keys(exits) as Ending[];

/** The time that an interrupted command has to end by itself. Then the process is killed. */
const graceMs = 800;
/** The time to end after a long shutdown, on a machine that may be busy. */
const lateGraceMs = 3_000;

interface SignalState {
  signal: AbortSignal;
  /** The first signal that came. */
  ending?: Ending;
  /** The number of shutdowns under way that may take longer than the grace period. */
  pendingShutdowns: number;
  graceTimer?: NodeJS.Timeout;
  /** The number of long computations under way. While there is one, we do not listen. */
  computations: number;
  /** The listeners to add again after the computations. */
  listeners: [Ending, NodeJS.SignalsListener][];
  /** Leaves the terminal as it was. Called before each computation, which the system may end. */
  cleanUp(): void;
}

/** One for the process, because its signals are. Undefined in tests, which call `main` in their own process. */
let current: SignalState | undefined;

/** The first SIGINT or SIGTERM that is for us aborts with the error for its exit code. The second one ends the process. */
export function listenForSignals(
  reasonFor: (exit: number) => Error,
  isForUs: (name: Ending) => boolean = () => true,
): AbortSignal {
  const controller = new AbortController();
  const { signal } = controller;
  // Node would warn the user of more than ten listeners.
  setMaxListeners(0, signal);
  const state: SignalState = { signal, pendingShutdowns: 0, computations: 0, listeners: [], cleanUp() {} };
  for (const name of endings) {
    process.on(name, () => {
      if (!isForUs(name)) return;
      if (state.ending !== undefined) return endAs(name);
      state.ending = name;
      controller.abort(reasonFor(exits[name]));
      endSoon(state, name, graceMs);
    });
  }
  current = state;
  return signal;
}

/** Ends the process after a grace period, so that a stalled write cannot keep it alive. */
function endSoon(state: SignalState, name: Ending, ms: number): void {
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

/** SIGUSR1 would open Node's debugger, through which any program of this machine can do what this process may do. */
export function refuseDebugger(): void {
  if (process.listenerCount('SIGUSR1') === 0) process.on('SIGUSR1', () => {});
}

/** Resolves once the signal is aborted. */
export const aborted = (signal: AbortSignal): Promise<void> =>
  new Promise((resolve) => {
    if (signal.aborted) resolve();
    else signal.addEventListener('abort', () => resolve());
  });

/** Runs a shutdown that may take longer than the grace period, such as that of a server with requests under way. */
export async function beyondGracePeriod<T>(work: () => Promise<T>): Promise<T> {
  const state = current;
  if (state === undefined) return work();
  state.pendingShutdowns += 1;
  try {
    return await work();
  } finally {
    state.pendingShutdowns -= 1;
    if (state.ending !== undefined) endSoon(state, state.ending, lateGraceMs);
  }
}

/** Sets the function that leaves the terminal as it was, before a computation that the system may end. */
export function beforeInterruptible(cleanUp: () => void): void {
  if (current !== undefined) current.cleanUp = cleanUp;
}

/**
 * Runs a long computation that loses nothing if it ends half-way. JavaScript handles signals only between two turns of the
 * event loop. So we stop listening, and a signal ends the process at once.
 */
export async function interruptible<T>(work: () => T | Promise<T>): Promise<T> {
  const state = current;
  if (state === undefined) return work();
  // A signal that came before would be lost, so it is handled first. That happens at the start of the second turn.
  for (let turn = 0; turn < 2; turn++) await new Promise(setImmediate);
  state.signal.throwIfAborted();
  state.cleanUp();
  if (state.computations++ === 0) stopListening(state);
  try {
    return await work();
  } finally {
    if (--state.computations === 0) listenAgain(state);
  }
}

/** Listens again while a pager or an editor runs within a computation: Ctrl-C is then for that program. */
export async function whileListening<T>(work: () => Promise<T>): Promise<T> {
  const state = current;
  if (state === undefined || state.computations === 0) return work();
  listenAgain(state);
  try {
    return await work();
  } finally {
    stopListening(state);
  }
}

/** Removes the listeners of libraries too: a single listener would keep a signal from ending the process. */
function stopListening(state: SignalState): void {
  state.listeners = endings.flatMap((name) =>
    process.listeners(name).map((listener): [Ending, NodeJS.SignalsListener] => [name, listener]),
  );
  for (const name of endings) process.removeAllListeners(name);
}

function listenAgain({ listeners }: SignalState): void {
  for (const [name, listener] of listeners) process.on(name, listener);
}
