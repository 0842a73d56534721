import { closeSync, readSync, writeSync } from 'node:fs';
import { inspect } from 'node:util';
import { type Answer, type Ask, channels, lineReader, type Thrown, type ValEvent } from '../protocol.ts';

export const sendEvent = (event: ValEvent): void =>
  write(channels.events, Buffer.from(`${JSON.stringify(event)}\n`));

export const sendLog = (bytes: Uint8Array): void => write(channels.log, bytes);

export const sendValueBytes = (bytes: Uint8Array): void => write(channels.value, bytes);

export const endValue = (): void => closeSync(channels.value);

export type Lock = Int32Array;

/** Waits for the answer of vals. One thread asks at a time. */
export function ask(question: Ask, lock: Lock | undefined): Answer {
  while (lock && Atomics.compareExchange(lock, 0, 0, 1) !== 0) Atomics.wait(lock, 0, 1);
  try {
    write(channels.modules, Buffer.from(`${JSON.stringify(question)}\n`));
    return JSON.parse(readLine());
  } finally {
    if (lock) {
      Atomics.store(lock, 0, 0);
      Atomics.notify(lock, 0, 1);
    }
  }
}

function readLine(): string {
  let line: string | undefined;
  const read = lineReader((text) => {
    line = text;
  });
  const piece = Buffer.allocUnsafe(1 << 16);
  while (line === undefined) {
    const count = readSync(channels.modules, piece);
    if (count === 0) throw new Error('vals has ended.');
    read(Buffer.from(piece.subarray(0, count)));
  }
  return line;
}

function write(channel: number, bytes: Uint8Array): void {
  for (let from = 0; from < bytes.length; ) from += writeSync(channel, bytes, from);
}

const mostCharacters = 65_536;

export function fail(error: unknown, details: Partial<Thrown> = {}): never {
  reportFailure(error, details);
  process.exit(1);
}

export const reportFailure = (error: unknown, details: Partial<Thrown> = {}): void =>
  sendEvent({ kind: 'failed', thrown: { ...describe(error), ...details } });

/** As Node prints an error that nobody caught. */
const asUncaught = { customInspect: false, depth: 5 };

export function describe(error: unknown): Thrown {
  try {
    const whole = shortened(typeof error === 'string' ? error : inspect(error, asUncaught));
    if (!(error instanceof Error)) return { text: whole, whole };
    const { name, message, code, permission, resource, specifier, importer } = error as Error &
      Record<string, unknown>;
    const texts = Object.entries({ code, permission, resource, specifier, importer }).filter(
      ([, value]) => typeof value === 'string',
    );
    const text = shortened([name, message].filter(Boolean).join(': '));
    return { text, whole, ...Object.fromEntries(texts) };
  } catch {
    const text = 'a value that cannot be shown';
    return { text, whole: text };
  }
}

const shortened = (text: string): string => text.slice(0, mostCharacters);
