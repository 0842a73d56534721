// SIGINT or SIGTERM ends a command in one of three ways:
// - Usually, the signal aborts an AbortSignal, and the command has a short time to clean up (the grace period).
// - During `beyondGracePeriod`, the time is not limited, because a server has to finish its open requests.
// - During `interruptible`, the process ends immediately, because no listener can run during a long computation.
import { setMaxListeners } from 'node:events';

const exitCodes = { SIGINT: 130, SIGTERM: 143 } as const;
type SignalName = keyof typeof exitCodes;
const signalNames = Object.keys(exitCodes) as SignalName[];

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

/** The state of this process. Undefined in tests that call `main`, because `main` does not call `listenForSignals`. */
let processState: SignalState | undefined;

/** The first SIGINT or SIGTERM aborts the returned AbortSignal. The second signal ends the process. */
export function listenForSignals(
  reasonFor: (exit: number) => Error,
  isForUs: (name: SignalName) => boolean = () => true,
): AbortSignal {
  const controller = new AbortController();
  const { signal } = controller;
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
      controller.abort(reasonFor(exitCodes[name]));
      killSelfAfter(graceMs, name, state);
    });
  }
  processState = state;
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

/** Removes the listeners first, so that the signal ends the process, and the parent process sees the signal. */
function killSelf(name: SignalName): void {
  process.removeAllListeners(name);
  process.kill(process.pid, name);
}

export const aborted = (signal: AbortSignal): Promise<void> =>
  new Promise((resolve) => {
    if (signal.aborted) resolve();
    else signal.addEventListener('abort', () => resolve());
  });

export async function beyondGracePeriod<T>(work: () => Promise<T>): Promise<T> {
  const state = processState;
  if (state === undefined) return work();
  state.pendingShutdowns += 1;
  try {
    return await work();
  } finally {
    state.pendingShutdowns -= 1;
    if (state.firstSignal !== undefined) killSelfAfter(graceAfterShutdownMs, state.firstSignal, state);
  }
}

/** `interruptible` calls `action` first. `action` must restore the terminal, because the process may end. */
export function setBeforeComputation(action: () => void): void {
  if (processState !== undefined) processState.beforeComputation = action;
}

export async function interruptible<T>(work: () => T | Promise<T>): Promise<T> {
  const state = processState;
  if (state === undefined) return work();
  // Node may report a signal two turns of the event loop late. So the listeners stay for two more turns.
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

/** Adds the listeners again for a part of `interruptible`, so that Ctrl-C in a pager does not end this process. */
export async function whileListening<T>(work: () => Promise<T>): Promise<T> {
  const state = processState;
  if (state === undefined || state.runningComputations === 0) return work();
  listenAgain(state);
  try {
    return await work();
  } finally {
    stopListening(state);
  }
}

/** Removes the listeners of libraries too, because a signal ends the process only if no listener is left. */
function stopListening(state: SignalState): void {
  state.removedListeners = signalNames.flatMap((name) =>
    process.listeners(name).map((listener): [SignalName, NodeJS.SignalsListener] => [name, listener]),
  );
  for (const name of signalNames) process.removeAllListeners(name);
}

function listenAgain({ removedListeners }: SignalState): void {
  for (const [name, listener] of removedListeners) process.on(name, listener);
}
