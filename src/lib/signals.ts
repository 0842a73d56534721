import { setMaxListeners } from 'node:events';

const exits = { SIGINT: 130, SIGTERM: 143 } as const;
type SignalName = keyof typeof exits;
const signalNames = Object.keys(exits) as SignalName[];

/** An interrupted command has this time to end by itself. Then the process is killed. */
const graceMs = 2_000;
const graceAfterShutdownMs = 3_000;

interface SignalState {
  signal: AbortSignal;
  firstSignal?: SignalName;
  pendingShutdowns: number;
  graceTimer?: NodeJS.Timeout;
  runningComputations: number;
  removedListeners: [SignalName, NodeJS.SignalsListener][];
  beforeComputation(): void;
}

/** Undefined in tests, which call `main` in their own process. */
let current: SignalState | undefined;

/** The first SIGINT or SIGTERM aborts the returned AbortSignal. The second signal ends the process. */
export function listenForSignals(
  reasonFor: (exit: number) => Error,
  isForUs: (name: SignalName) => boolean = () => true,
): AbortSignal {
  const controller = new AbortController();
  const { signal } = controller;
  // Without this call, Node would warn that there are more than ten listeners.
  setMaxListeners(0, signal);
  const state: SignalState = {
    signal,
    pendingShutdowns: 0,
    runningComputations: 0,
    removedListeners: [],
    beforeComputation() {},
  };
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

/** A stalled write could otherwise keep the process alive. */
function killSelfAfter(ms: number, name: SignalName, state: SignalState): void {
  clearTimeout(state.graceTimer);
  const killUnlessShuttingDown = () => {
    if (state.pendingShutdowns === 0) killSelf(name);
  };
  state.graceTimer = setTimeout(killUnlessShuttingDown, ms).unref();
}

/** Without listeners, the system ends the process, and the parent process sees which signal ended it. */
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

/** For a shutdown that may take longer than the grace period: a server has to finish the requests under way. */
export async function beyondGracePeriod<T>(work: () => Promise<T>): Promise<T> {
  const state = current;
  if (state === undefined) return work();
  state.pendingShutdowns += 1;
  try {
    return await work();
  } finally {
    state.pendingShutdowns -= 1;
    if (state.firstSignal !== undefined) killSelfAfter(graceAfterShutdownMs, state.firstSignal, state);
  }
}

/** A signal may end the process during a computation, so `action` must restore the terminal before each computation. */
export function setBeforeComputation(action: () => void): void {
  if (current !== undefined) current.beforeComputation = action;
}

/**
 * JavaScript handles a signal only between two turns of the event loop. So this function removes the listeners during
 * a long computation, and a signal ends the process immediately.
 */
export async function interruptible<T>(work: () => T | Promise<T>): Promise<T> {
  const state = current;
  if (state === undefined) return work();
  // Node reports a signal up to two turns of the event loop after the signal arrived, and only to a listener. So the
  // listeners stay for two more turns.
  for (let turn = 0; turn < 2; turn++) await new Promise(setImmediate);
  state.signal.throwIfAborted();
  state.beforeComputation();
  if (state.runningComputations === 0) stopListening(state);
  state.runningComputations += 1;
  try {
    return await work();
  } finally {
    state.runningComputations -= 1;
    if (state.runningComputations === 0) listenAgain(state);
  }
}

/** While a pager runs during a computation, Ctrl-C must not end the process. */
export async function whileListening<T>(work: () => Promise<T>): Promise<T> {
  const state = current;
  if (state === undefined || state.runningComputations === 0) return work();
  listenAgain(state);
  try {
    return await work();
  } finally {
    stopListening(state);
  }
}

/** Removes the listeners of libraries too: if any listener is left, a signal does not end the process. */
function stopListening(state: SignalState): void {
  state.removedListeners = signalNames.flatMap((name) =>
    process.listeners(name).map((listener): [SignalName, NodeJS.SignalsListener] => [name, listener]),
  );
  for (const name of signalNames) process.removeAllListeners(name);
}

function listenAgain({ removedListeners }: SignalState): void {
  for (const [name, listener] of removedListeners) process.on(name, listener);
}
