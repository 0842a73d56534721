// Asks the user on stderr. Without a terminal it is an error, never a wait.
import type { Readable } from 'node:stream';
import { InterruptedError, UsageError } from '../errors.ts';
import type { Clock } from '../lib/clock.ts';
import { visible } from '../lib/visible.ts';
import { createTextWidth } from './text-width.ts';
import { wrapWords } from './wrap.ts';

export interface Prompt {
  /** Throws a UsageError with the hint `instead` if nobody can be asked for confirmation. */
  expectSomebody(instead: string): void;
  /** Throws a UsageError with the hint `instead` if nobody can be asked, as the others do. */
  confirm(question: string, instead: string): Promise<boolean>;
  secret(question: string, instead: string): Promise<string>;
  /** Shows the answer while it is typed. */
  text(question: string, instead: string): Promise<string>;
  /** How long the user took to answer. */
  waitedMs(): number;
}

export interface PromptOptions {
  signal: AbortSignal;
  clock: Clock;
  width: number;
  /** Waits until the messages before the question are written. */
  flush(): Promise<void>;
}

export function createPrompt(
  input: () => Readable & { isTTY?: boolean },
  stderr: NodeJS.WriteStream,
  { signal, clock, width, flush }: PromptOptions,
): Prompt {
  let waitedMs = 0;

  function expectSomebody(instead: string, wanted = 'for confirmation '): void {
    if (input().isTTY && stderr.isTTY) return;
    throw new UsageError(`Cannot ask ${wanted}without a terminal.`, { hint: instead });
  }

  async function ask(question: string, instead: string, hidden: boolean): Promise<string> {
    expectSomebody(instead, '');
    await flush();
    const stdin = input();
    const { createInterface } = await import('node:readline/promises');
    const { PassThrough } = await import('node:stream');
    // readline echoes to its output; for a secret, that is a stream that nobody reads.
    const output = hidden ? new PassThrough().resume() : stderr;
    const [last = '', ...before] = (await wrapped(visible(question))).reverse();
    for (const line of before.reverse()) stderr.write(`${line}\n`);
    const lines = createInterface({ input: stdin, output, terminal: true });
    const askedAt = clock.now();
    const interrupted = new Promise<never>((_resolve, reject) => {
      // In raw mode, Ctrl-C is a key and not a signal. The end of input is no answer.
      lines.once('SIGINT', () => reject(new InterruptedError(130)));
      lines.once('close', () => reject(new InterruptedError(130)));
      signal.addEventListener('abort', () => reject(signal.reason));
    });
    try {
      if (hidden) stderr.write(last);
      return await Promise.race([lines.question(hidden ? '' : last), interrupted]);
    } catch (error) {
      stderr.write('\n');
      throw error;
    } finally {
      waitedMs += clock.now() - askedAt;
      if (hidden) stderr.write('\n');
      interrupted.catch(() => {});
      lines.close();
    }
  }

  /** Leaves room for the answer. */
  const wrapped = async (question: string): Promise<string[]> =>
    wrapWords(question, Math.max(1, width - 4), '', await createTextWidth([question])).map(
      (line, index, all) => (index === all.length - 1 ? `${line.trimEnd()} ` : line),
    );

  return {
    waitedMs: () => waitedMs,
    async confirm(question, instead) {
      expectSomebody(instead);
      return /^y(es)?$/i.test((await ask(`${question} [y/N] `, instead, false)).trim());
    },
    expectSomebody,
    text: async (question, instead) => (await ask(question, instead, false)).trim(),
    secret: async (question, instead) => (await ask(question, instead, true)).trim(),
  };
}
