import type { LoadedCommand } from '../core/command-line/command.ts';
import { argumentsOf, checkInput } from '../core/command-line/options.ts';
import { UsageError } from '../core/errors.ts';
import { entryFor } from './tool-table.ts';
import { type AgentPermissions, optionsForAgents, toolName } from './tools.ts';

export type ToolInput = Readonly<Record<string, unknown>>;

export interface CheckedInput {
  input: Record<string, unknown>;
  /** The code of a val, which a person would send on standard input. */
  code: string;
}

export function checkToolInput(
  command: LoadedCommand,
  rawInput: ToolInput,
  permissions: AgentPermissions,
): CheckedInput {
  const options = optionsForAgents(command, permissions);
  const names = [...argumentsOf(command), ...options].map(([key]) => key);
  const codeFor = entryFor(command.path)?.codeFor;
  const codeArgument = argumentsOf(command).find(([key]) => key === codeFor);
  if (codeArgument) names.push('code');
  const hint = `The inputs of "${toolName(command)}" are: ${names.join(', ') || 'none'}.`;
  const unknown = Object.keys(rawInput).find((name) => !names.includes(name));
  if (unknown !== undefined) {
    throw new UsageError(`"${unknown}" is not an input of the tool "${toolName(command)}".`, { hint });
  }
  for (const [key, { value }] of [...argumentsOf(command), ...options]) {
    if (value === undefined) continue;
    // A command line has words alone, so the command would take a number for a text, and a text for a number.
    const [wanted, other] = value.schema.type === 'string' ? ['string', 'number'] : ['number', 'string'];
    if ([rawInput[key]].flat().some((each) => typeof each === other))
      throw new UsageError(`${key} must be a ${wanted}.`, { hint });
  }
  const words = Object.fromEntries(
    Object.entries(rawInput).filter(([key]) => !codeArgument || key !== 'code'),
  );
  // The person who started the server allowed deletions, so a tool that only deletes does not ask.
  if (command.effect === 'deletes' && 'yes' in (command.options ?? {})) words.yes = true;
  const code = codeArgument ? takeCode(codeArgument, rawInput.code, words) : '';
  return { input: checkInput(command, words, { nameOf: (key) => key, hint }), code };
}

function takeCode(
  [key, { repeatable }]: ReturnType<typeof argumentsOf>[number],
  code: unknown,
  words: Record<string, unknown>,
): string {
  const isFileGiven = [words[key] ?? []].flat().length > 0;
  if (code === undefined) {
    if (isFileGiven || repeatable) return '';
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
  words[key] = repeatable ? ['-'] : '-';
  return code;
}
