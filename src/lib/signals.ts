// How the process is told to end: we hear it while we wait; while we compute, the system ends us at once.

import { setMaxListeners } from 'node:events';

const exits = { SIGINT: 130, SIGTERM: 143 } as const;
type Ending = keyof typeof exits;
const endings = Object.keys(exits) as Ending[];

/** For what was interrupted to end by itself; then the system ends it, whatever it waits for. */
const graceMs = 800;
/** After what took its own time: whoever waited for that is not in a hurry, and a busy machine may be slow to end. */
const lateGraceMs = 3_000;

let heard: AbortSignal | undefined;
let ending: Ending | undefined;
let patience = 0;
let lastTimer: NodeJS.Timeout | undefined;
let unheardWork = 0;
let listeners: [Ending, NodeJS.SignalsListener][] = [];
let rest: () => void = () => {};

/** Aborted by the first SIGINT or SIGTERM that is for us, with the error for its exit code. The second one ends the process. */
export function hearSignals(
  reasonFor: (exit: number) => Error,
  isForUs: (name: Ending) => boolean = () => true,
): AbortSignal {
  const controller = new AbortController();
  // Node would warn the user of more than ten listeners.
  setMaxListeners(0, controller.signal);
  for (const name of endings) {
    process.on(name, () => {
      if (!isForUs(name)) return;
      if (ending !== undefined) return endAs(name);
      ending = name;
      controller.abort(reasonFor(exits[name]));
      endSoon(name, graceMs);
    });
  }
  heard = controller.signal;
  return controller.signal;
}

/** A write to a reader that stopped, or a file that never comes, would keep the process alive; this timer does not. */
function endSoon(name: Ending, ms: number): void {
  clearTimeout(lastTimer);
  lastTimer = setTimeout(() => patience === 0 && endAs(name), ms).unref();
}

function endAs(name: Ending): void {
  process.removeAllListeners(name);
  process.kill(process.pid, name);
}

/** Resolves once it is. */
export const aborted = (signal: AbortSignal): Promise<void> =>
  new Promise((resolve) => {
    if (signal.aborted) resolve();
    else signal.addEventListener('abort', () => resolve());
  });

/** For what ends in its own time once it was interrupted, such as a server with requests under way. */
export async function inOwnTime<T>(work: () => Promise<T>): Promise<T> {
  patience += 1;
  try {
    return await work();
  } finally {
    patience -= 1;
    if (ending !== undefined) endSoon(ending, lateGraceMs);
  }
}

/** Called before work that the system may end, so that the terminal is left as it was. */
export function beforeInterruptible(clean: () => void): void {
  rest = clean;
}

/**
 * For work that may keep us from hearing for long, and that loses nothing when it ends half-way. Signals reach
 * JavaScript only between two of its turns. So we stop listening, and their default action is in force.
 */
export async function interruptible<T>(work: () => T | Promise<T>): Promise<T> {
  if (heard === undefined) return work();
  // What came before would be lost, so it is heard first: the second turn is the first that begins with listening.
  for (let turn = 0; turn < 2; turn++) await new Promise(setImmediate);
  heard.throwIfAborted();
  rest();
  if (unheardWork++ === 0) stopListening();
  try {
    return await work();
  } finally {
    if (--unheardWork === 0) listenAgain();
  }
}

/** For what must be heard in the middle of such work: while another program has the terminal, its keys are its own. */
export async function whileHearing<T>(work: () => Promise<T>): Promise<T> {
  if (unheardWork === 0) return work();
  listenAgain();
  try {
    return await work();
  } finally {
    stopListening();
  }
}

/** The terminal's libraries listen too, and one listener is enough to keep the default action out. */
function stopListening(): void {
  listeners = endings.flatMap((name) =>
    process.listeners(name).map((listener): [Ending, NodeJS.SignalsListener] => [name, listener]),
  );
  for (const name of endings) process.removeAllListeners(name);
}

function listenAgain(): void {
  for (const [name, listener] of listeners) process.on(name, listener);
}
