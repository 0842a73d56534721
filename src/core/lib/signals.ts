// SIGINT or SIGTERM ends a command in one of two ways:
// - Usually, the signal aborts an AbortSignal, and the command has a short time to clean up (the grace period).
// - During `beyondGracePeriod`, the time is not limited, because a server has to finish its open requests.
import { setMaxListeners } from 'node:events';

const exitCodes = { SIGINT: 130, SIGTERM: 143 } as const;
type SignalName = keyof typeof exitCodes;
const signalNames = Object.keys(exitCodes) as SignalName[];

/** A second signal within this time is the same interrupt: `timeout` and npm pass on a signal that vals got already. */
const sameInterruptMs = 200;
const graceMs = 2_000;
const graceAfterShutdownMs = 3_000;

interface SignalState {
  firstSignal?: { name: SignalName; at: number };
  pendingShutdowns: number;
  graceTimer?: NodeJS.Timeout;
}

/** The state of this process. Undefined in tests that call `main`, because `main` does not call `listenForSignals`. */
let processState: SignalState | undefined;

/** The first SIGINT or SIGTERM aborts the returned AbortSignal. A later signal ends the process. */
export function listenForSignals(reasonFor: (exit: number) => Error): AbortSignal {
  const controller = new AbortController();
  const { signal } = controller;
  setMaxListeners(0, signal);
  const state: SignalState = { pendingShutdowns: 0 };
  for (const name of signalNames) {
    process.on(name, () => {
      const { firstSignal } = state;
      if (firstSignal !== undefined) {
        if (performance.now() - firstSignal.at > sameInterruptMs) killSelf(name);
        return;
      }
      state.firstSignal = { name, at: performance.now() };
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
    if (state.firstSignal !== undefined) killSelfAfter(graceAfterShutdownMs, state.firstSignal.name, state);
  }
}
