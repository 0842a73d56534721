import type { Readable } from 'node:stream';
import { InterruptedError, UsageError } from '../errors.ts';
import type { Hints } from '../lib/hint.ts';
import { visible } from '../lib/visible.ts';
import type { Clock } from '../lib/waiting.ts';
import type { Out } from './out.ts';
import { widthOf } from './screen.ts';
import { createTextWidth } from './text-width.ts';

export interface Prompt {
  isAtTerminal(): boolean;
  /** Throws a UsageError with the hint `instead` if there is no terminal. `confirm`, `secret` and `text` do the same. */
  expectTerminal(instead: Hints): void;
  confirm(question: string, instead: Hints): Promise<boolean>;
  secret(question: string, instead: Hints): Promise<string>;
  text(question: string, instead: Hints): Promise<string>;
  waitedMs(): number;
}

interface Terminal {
  stdin(): Readable & { isTTY?: boolean };
  stderr: NodeJS.WriteStream;
  env: NodeJS.ProcessEnv;
  signal: AbortSignal;
  clock: Clock;
}

export function createPrompt(
  { stdin: openInput, stderr, env, signal, clock }: Terminal,
  { flush, redact }: Pick<Out, 'flush' | 'redact'>,
): Prompt {
  let waitedMs = 0;

  const isAtTerminal = () => openInput().isTTY === true && stderr.isTTY;

  function expectTerminal(instead: Hints, wanted = 'confirmation'): void {
    if (isAtTerminal()) return;
    throw new UsageError(`Cannot ask for ${wanted} without a terminal.`, { hint: instead });
  }

  async function ask(question: string, instead: Hints, { isHidden = false } = {}): Promise<string> {
    expectTerminal(instead, 'input');
    await flush();
    const stdin = openInput();
    const { createInterface } = await import('node:readline/promises');
    const { PassThrough } = await import('node:stream');
    // readline writes each key to its output, so the keys of a secret go to a stream that nobody reads.
    const output = isHidden ? new PassThrough().resume() : stderr;
    const shown = visible(redact(question));
    const questionLines = (await createTextWidth([shown])).wrap(shown, Math.max(1, widthOf(stderr, env) - 4));
    const lastLine = `${questionLines.pop()?.trimEnd()} `;
    for (const line of questionLines) stderr.write(`${line}\n`);
    const reader = createInterface({ input: stdin, output, terminal: true });
    const askedAt = clock.now();
    const interrupted = new Promise<never>((_resolve, reject) => {
      // readline puts the terminal into raw mode, in which Ctrl-C is a key and not a signal.
      reader.once('SIGINT', () => reject(new InterruptedError(130)));
      reader.once('close', () => reject(new InterruptedError(130)));
      signal.addEventListener('abort', () => reject(signal.reason));
    });
    try {
      if (isHidden) stderr.write(lastLine);
      return await Promise.race([reader.question(isHidden ? '' : lastLine), interrupted]);
    } catch (error) {
      stderr.write('\n');
      throw error;
    } finally {
      waitedMs += clock.now() - askedAt;
      if (isHidden) stderr.write('\n');
      reader.close();
    }
  }

  return {
    waitedMs: () => waitedMs,
    async confirm(question, instead) {
      expectTerminal(instead);
      return /^y(es)?$/i.test((await ask(`${question} [y/N] `, instead)).trim());
    },
    isAtTerminal,
    expectTerminal,
    text: async (question, instead) => (await ask(question, instead)).trim(),
    secret: async (question, instead) => (await ask(question, instead, { isHidden: true })).trim(),
  };
}
