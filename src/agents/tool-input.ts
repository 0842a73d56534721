import { checkInput } from '../cli/check-input.ts';
import { argumentsOf, inputName, isVariadic, type OptionDefinition } from '../cli/command.ts';
import type { LoadedCommand } from '../cli/command-tree.ts';
import type { Permissions } from '../cli/context.ts';
import { UsageError } from '../errors.ts';
import { optionsForAgents, toolName } from './tools.ts';

export type ToolInput = Readonly<Record<string, unknown>>;

export interface CheckedInput {
  input: Record<string, unknown>;
  /** The code of a val, which a person would send on standard input. */
  code: string;
}

export function checkToolInput(
  command: LoadedCommand,
  given: ToolInput,
  permissions: Permissions,
): CheckedInput {
  const options = optionsForAgents(command, permissions);
  const keys = new Map(options.map(([key, option]) => [inputName(key, option), { key, option }]));
  const names = [...argumentsOf(command).map(([key]) => key), ...keys.keys()];
  const codeArgument = argumentsOf(command).find(([, { canBeCode }]) => canBeCode);
  if (codeArgument) names.push('code');
  const hint = `The inputs of the tool ${toolName(command)} are: ${names.join(', ') || 'none'}.`;
  const unknown = Object.keys(given).find((name) => !names.includes(name));
  if (unknown !== undefined) {
    throw new UsageError(`The tool ${toolName(command)} has no input "${unknown}".`, { hint });
  }
  const entries = Object.entries(given).flatMap(([name, value]): [string, unknown][] => {
    const found = keys.get(name);
    if (found === undefined) return name === 'code' && codeArgument ? [] : [[name, value]];
    return [[found.key, name === found.key ? value : !value]];
  });
  const words = Object.fromEntries(entries);
  if (deletes(command, options, words)) words.yes = true;
  const code = codeArgument ? takeCode(codeArgument, given.code, words) : '';
  const nameOf = (key: string) => {
    const option = options.find(([name]) => name === key)?.[1];
    return option === undefined ? key : inputName(key, option);
  };
  return { input: checkInput(command, words, { nameOf, hint }), code };
}

function takeCode(
  [key, definition]: ReturnType<typeof argumentsOf>[number],
  code: unknown,
  words: Record<string, unknown>,
): string {
  const isFileGiven = [words[key] ?? []].flat().length > 0;
  if (code === undefined) {
    if (isFileGiven || isVariadic(definition)) return '';
    throw new UsageError(`The input code or the input ${key} is missing.`, {
      hint: `Give the code itself as code, or the path of a file as ${key}.`,
    });
  }
  if (typeof code !== 'string')
    throw new UsageError('code must be a string.', { hint: 'Give the code of the val.' });
  if (isFileGiven) {
    throw new UsageError(`The inputs code and ${key} cannot be given together.`, {
      hint: `Omit code or ${key}.`,
    });
  }
  words[key] = isVariadic(definition) ? ['-'] : '-';
  return code;
}

/** A tool that may delete does not ask. */
function deletes(
  { effect, options = {} }: LoadedCommand,
  offered: readonly [string, OptionDefinition<unknown>][],
  words: Record<string, unknown>,
): boolean {
  const isDeletion = offered.some(([key, option]) => option.deletes && words[key] === true);
  return (effect === 'deletes' || isDeletion) && 'yes' in options;
}
