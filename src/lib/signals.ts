// Handles SIGINT and SIGTERM. JavaScript cannot handle a signal during a long computation, so the system ends the process then.
import { setMaxListeners } from 'node:events';

const exits = { SIGINT: 130, SIGTERM: 143 } as const;
type SignalName = keyof typeof exits;
const signalNames = Object.keys(exits) as SignalName[];

/** The time that an interrupted command has to end by itself. Then the process is killed. */
const graceMs = 800;
/** The time to end after a long shutdown, on a machine that may be busy. */
const lateGraceMs = 3_000;

interface SignalState {
  signal: AbortSignal;
  firstSignal?: SignalName;
  /** The number of shutdowns under way that may take longer than the grace period. */
  pendingShutdowns: number;
  graceTimer?: NodeJS.Timeout;
  /** The number of long computations under way. While there is one, we do not listen. */
  computations: number;
  /** The listeners to add again after the computations. */
  listeners: [SignalName, NodeJS.SignalsListener][];
  /** Leaves the terminal as it was. Called before each computation, which the system may end. */
  cleanUp(): void;
}

/** One state, because signals are for the whole process. Undefined in tests, which call `main` in their own process. */
let current: SignalState | undefined;

/**
 * The first SIGINT or SIGTERM aborts with the error for its exit code. The second one ends the process. Signals for which
 * `isForUs` returns false are ignored: while a pager runs, Ctrl-C is for the pager.
 */
export function listenForSignals(
  reasonFor: (exit: number) => Error,
  isForUs: (name: SignalName) => boolean = () => true,
): AbortSignal {
  const controller = new AbortController();
  const { signal } = controller;
  // Node would warn the user of more than ten listeners.
  setMaxListeners(0, signal);
  const state: SignalState = { signal, pendingShutdowns: 0, computations: 0, listeners: [], cleanUp() {} };
  for (const name of signalNames) {
    process.on(name, () => {
      if (!isForUs(name)) return;
      if (state.firstSignal !== undefined) return killSelf(name);
      state.firstSignal = name;
      controller.abort(reasonFor(exits[name]));
      killSelfAfter(graceMs, name, state);
    });
  }
  current = state;
  return signal;
}

/** Ends the process after a grace period, so that a stalled write cannot keep it alive. */
function killSelfAfter(ms: number, name: SignalName, state: SignalState): void {
  clearTimeout(state.graceTimer);
  const killUnlessShuttingDown = () => {
    if (state.pendingShutdowns === 0) killSelf(name);
  };
  state.graceTimer = setTimeout(killUnlessShuttingDown, ms).unref();
}

/** Without a listener, the system ends the process, and the parent process sees the signal. */
function killSelf(name: SignalName): void {
  process.removeAllListeners(name);
  process.kill(process.pid, name);
}

/** SIGUSR1 would open Node's debugger, through which any program of this machine can do what this process may do. */
export function refuseDebugger(): void {
  if (process.listenerCount('SIGUSR1') === 0) process.on('SIGUSR1', () => {});
}

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
    if (state.firstSignal !== undefined) killSelfAfter(lateGraceMs, state.firstSignal, state);
  }
}

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
  // Without listeners, Node would drop a signal that it has received and not reported yet. Node reports such a signal at
  // the start of the second turn of the event loop from now.
  for (let turn = 0; turn < 2; turn++) await new Promise(setImmediate);
  state.signal.throwIfAborted();
  state.cleanUp();
  if (state.computations === 0) stopListening(state);
  state.computations += 1;
  try {
    return await work();
  } finally {
    state.computations -= 1;
    if (state.computations === 0) listenAgain(state);
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
  state.listeners = signalNames.flatMap((name) =>
    process.listeners(name).map((listener): [SignalName, NodeJS.SignalsListener] => [name, listener]),
  );
  for (const name of signalNames) process.removeAllListeners(name);
}

function listenAgain({ listeners }: SignalState): void {
  for (const [name, listener] of listeners) process.on(name, listener);
}
