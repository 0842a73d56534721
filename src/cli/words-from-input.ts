import { UsageError } from '../errors.ts';
import { type AnyCommand, argumentsOf } from './command.ts';
import type { Context } from './context.ts';

/** Puts the lines of standard input in the place of `-`, for a command that takes vals from there. */
export async function readWordsFromInput(
  command: AnyCommand,
  input: Record<string, unknown>,
  context: Context,
): Promise<Record<string, unknown>> {
  const [key] = argumentsOf(command).find(([, { value }]) => value.val?.orInput) ?? [];
  const words = key === undefined ? undefined : input[key];
  if (key === undefined || !Array.isArray(words) || !words.includes('-')) return input;
  if (!input.yes && !input.dryRun) {
    throw new UsageError('The vals come from standard input, so nobody can be asked.', {
      hint: { text: 'To go on without a question', input: { yes: true } },
    });
  }
  const { readText } = await import('../workspace/sources/read-text.ts');
  const lines = (await readText('-', context)).split(/\r?\n/).filter((line) => line.trim() !== '');
  return { ...input, [key]: words.flatMap((word) => (word === '-' ? lines : word)) };
}
