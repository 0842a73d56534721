import type { LoadedCommand } from '../core/command-line/command.ts';
import { argumentsOf, checkInput } from '../core/command-line/options.ts';
import { UsageError } from '../core/errors.ts';
import { entryFor } from './tool-table.ts';
import { type AgentPermissions, type Property, toolName, toolOf } from './tools.ts';

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
  const name = toolName(command);
  const properties = new Map(Object.entries(toolOf(command, permissions).inputSchema.properties));
  const hint = `The inputs of "${name}" are: ${[...properties.keys()].join(', ') || 'none'}.`;
  for (const [key, value] of Object.entries(rawInput)) {
    const property = properties.get(key);
    if (property === undefined) {
      throw new UsageError(`"${key}" is not an input of the tool "${name}".`, { hint });
    }
    if (!hasType(value, property)) throw new UsageError(`${key} must be ${typeOf(property)}.`, { hint });
  }
  const codeFor = entryFor(command.path)?.codeFor;
  const codeArgument = argumentsOf(command).find(([key]) => key === codeFor);
  const words = Object.fromEntries(
    Object.entries(rawInput).filter(([key]) => !codeArgument || key !== 'code'),
  );
  // The person who started the server allowed deletions, so a tool that only deletes does not ask.
  if (command.effect === 'deletes' && 'yes' in (command.options ?? {})) words.yes = true;
  const given = typeof rawInput.code === 'string' ? rawInput.code : undefined;
  const code = codeArgument ? takeCode(codeArgument, given, words) : '';
  return { input: checkInput(command, words, { nameOf: (key) => key, hint }), code };
}

function hasType(value: unknown, { type, items }: Pick<Property, 'type' | 'items'>): boolean {
  switch (type) {
    case 'array':
      return Array.isArray(value) && items !== undefined && value.every((each) => hasType(each, items));
    case 'integer':
      return Number.isSafeInteger(value);
    default:
      return typeof value === type;
  }
}

function typeOf({ type, items }: Property): string {
  if (items !== undefined) return `an array of ${items.type}s`;
  return type === 'integer' ? 'an integer' : `a ${type}`;
}

function takeCode(
  [key, { repeatable }]: ReturnType<typeof argumentsOf>[number],
  code: string | undefined,
  words: Record<string, unknown>,
): string {
  const isFileGiven = [words[key] ?? []].flat().length > 0;
  if (code === undefined) {
    if (isFileGiven || repeatable) return '';
    throw new UsageError(`The input code or the input ${key} is missing.`, {
      hint: `Give the code itself as code, or the path of a file as ${key}.`,
    });
  }
  if (isFileGiven) {
    throw new UsageError(`The inputs code and ${key} cannot be given together.`, {
      hint: `Omit code or ${key}.`,
    });
  }
  words[key] = repeatable ? ['-'] : '-';
  return code;
}
