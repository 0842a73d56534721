// Handles SIGINT and SIGTERM. JavaScript cannot handle a signal during a long computation, so
// during such a computation the system ends the process.
import { setMaxListeners } from 'node:events';

const exits = { SIGINT: 130, SIGTERM: 143 } as const;
type SignalName = keyof typeof exits;
const signalNames = Object.keys(exits) as SignalName[];

/** The time that an interrupted command has to end by itself. Then the process is killed. */
const graceMs = 800;
/** The time that a command has to end after a long shutdown. It is longer, because the machine may be busy. */
const lateGraceMs = 3_000;

interface SignalState {
  signal: AbortSignal;
  firstSignal?: SignalName;
  /** The number of shutdowns under way that may take longer than the grace period. */
  pendingShutdowns: number;
  graceTimer?: NodeJS.Timeout;
  /** The number of long computations under way. During a computation, the process has no signal listeners. */
  computations: number;
  /** The listeners to add again after the computations. */
  listeners: [SignalName, NodeJS.SignalsListener][];
  /** Restores the terminal. Called before each computation, because a signal may end the process during the computation. */
  cleanUp(): void;
}

/** One state, because signals are for the whole process. Undefined in tests, which call `main` in their own process. */
let current: SignalState | undefined;

/**
 * The first SIGINT or SIGTERM aborts the returned AbortSignal. `reasonFor` makes the reason from the exit code of the signal.
 * The second SIGINT or SIGTERM ends the process. A signal for which `isForUs` returns false is ignored: while a pager runs,
 * Ctrl-C is for the pager.
 */
export function listenForSignals(
  reasonFor: (exit: number) => Error,
  isForUs: (name: SignalName) => boolean = () => true,
): AbortSignal {
  const controller = new AbortController();
  const { signal } = controller;
  // Without this call, Node would print a warning if there are more than ten listeners.
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

/** Ends the process after a grace period, so that a stalled write cannot keep the process alive. */
function killSelfAfter(ms: number, name: SignalName, state: SignalState): void {
  clearTimeout(state.graceTimer);
  const killUnlessShuttingDown = () => {
    if (state.pendingShutdowns === 0) killSelf(name);
  };
  state.graceTimer = setTimeout(killUnlessShuttingDown, ms).unref();
}

/** Removes the listeners and sends the signal again. So the system ends the process, and the parent sees the signal. */
function killSelf(name: SignalName): void {
  process.removeAllListeners(name);
  process.kill(process.pid, name);
}

/** SIGUSR1 would open Node's debugger, and any program on this machine could then control this process. */
export function refuseDebugger(): void {
  if (process.listenerCount('SIGUSR1') === 0) process.on('SIGUSR1', () => {});
}

export const aborted = (signal: AbortSignal): Promise<void> =>
  new Promise((resolve) => {
    if (signal.aborted) resolve();
    else signal.addEventListener('abort', () => resolve());
  });

/** Runs a shutdown that may take longer than the grace period, such as the shutdown of a server with requests under way. */
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
 * Runs a long computation that may end half-way without harm. JavaScript handles signals only between two turns of the event
 * loop. So this function removes the listeners during the computation, and a signal ends the process at once.
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

/** Listens for signals while a pager or an editor runs within a computation, because Ctrl-C is then for the pager or editor. */
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

/** Removes the listeners of libraries too, because with any listener left, a signal would not end the process. */
function stopListening(state: SignalState): void {
  state.listeners = signalNames.flatMap((name) =>
    process.listeners(name).map((listener): [SignalName, NodeJS.SignalsListener] => [name, listener]),
  );
  for (const name of signalNames) process.removeAllListeners(name);
}

function listenAgain({ listeners }: SignalState): void {
  for (const [name, listener] of listeners) process.on(name, listener);
}
