import { inspect } from 'node:util';
import type { Thrown } from '../protocol.ts';
import { sendEvent } from './channel.ts';

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
    const { name, message, code, permission, resource } = error as Error & Record<string, unknown>;
    const texts = Object.entries({ code, permission, resource }).filter(
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
