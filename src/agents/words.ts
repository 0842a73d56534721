import { argumentsOf, inputName, isVariadic, type OptionDefinition } from '../cli/command.ts';
import type { LoadedCommand } from '../cli/command-tree.ts';
import { UsageError } from '../errors.ts';
import { optionsForAgents, type Permissions, type Property, type Tool, toolName } from './tools.ts';

export interface Words {
  argv: string[];
  stdin: string;
}

export type Input = Readonly<Record<string, unknown>>;

export function wordsFor(
  command: LoadedCommand,
  { inputSchema }: Tool,
  input: Input,
  permissions: Permissions,
): Words {
  checkTypes(command, inputSchema.properties, input);
  checkRequired(command, inputSchema, input);
  const options = optionsForAgents(command, permissions).flatMap(([key, definition]) => {
    const value = input[inputName(key, definition)];
    const name = definition.flags.split(' ')[0] ?? '';
    if (value === undefined) return [];
    if (value === '-') throw noStandardInput(key);
    if (typeof value !== 'boolean') return listOf(value).map((word) => `${name}=${word}`);
    if (value) return [name];
    return definition.negatedDescription === undefined ? [] : [name.replace(/^--/, '--no-')];
  });
  const argv = [
    ...command.path.split(' '),
    ...options,
    ...(needsYes(command, input, permissions) ? ['--yes'] : []),
    '--',
    ...argumentWords(command, input),
  ];
  if (argv.some((word) => word.includes('\0'))) throw nullCharacter(command);
  return {
    argv,
    stdin: typeof input.code === 'string' ? input.code : '',
  };
}

function needsYes(command: LoadedCommand, input: Input, permissions: Permissions): boolean {
  const isGiven = ([key, option]: [string, OptionDefinition<unknown>]) =>
    option.deletes && input[key] === true;
  const deletes = command.effect === 'deletes' || optionsForAgents(command, permissions).some(isGiven);
  return deletes && permissions.allowDelete === true && 'yes' in (command.options ?? {});
}

function argumentWords(command: LoadedCommand, input: Input): string[] {
  return argumentsOf(command).flatMap(([key, definition]) => {
    const given = listOf(input[key]).map(String);
    if (!definition.canBeCode) return given;
    if (input.code !== undefined && given.length > 0) {
      throw new UsageError(
        `The tool ${toolName(command)} takes the input code or the input ${key}, not both.`,
        {
          hint: `Omit code or ${key}.`,
        },
      );
    }
    if (given.includes('-')) throw noStandardInput(key);
    if (input.code !== undefined) return ['-'];
    if (given.length === 0 && !isVariadic(definition)) {
      throw new UsageError(`The tool ${toolName(command)} needs the input code or the input ${key}.`, {
        hint: `Give the code itself as code, or the path of a file as ${key}.`,
      });
    }
    return given;
  });
}

function listOf(value: unknown): unknown[] {
  if (value === undefined) return [];
  return Array.isArray(value) ? value : [value];
}

const nullCharacter = (command: LoadedCommand): UsageError =>
  new UsageError(`An input of ${toolName(command)} contains a null character.`, {
    hint: 'Remove the null character.',
  });

const noStandardInput = (key: string): UsageError =>
  new UsageError(`The input ${key} cannot be -.`, {
    hint: `Give the path of a file as ${key}.`,
  });

function checkTypes(
  command: LoadedCommand,
  properties: Tool['inputSchema']['properties'],
  input: Input,
): void {
  for (const [key, value] of Object.entries(input)) {
    const property = Object.hasOwn(properties, key) ? properties[key] : undefined;
    if (property === undefined) {
      throw new UsageError(`The tool ${toolName(command)} has no input "${key}".`, {
        hint: inputList(command, properties),
      });
    }
    if (value !== undefined && !fits(value, property)) {
      throw new UsageError(`The input ${key} of ${toolName(command)} must be ${wantedType(property)}.`, {
        hint: `${key}: ${property.description}.`,
      });
    }
  }
}

function checkRequired(
  command: LoadedCommand,
  { required, properties }: Tool['inputSchema'],
  input: Input,
): void {
  const missing = required.find((key) => listOf(input[key]).length === 0);
  if (missing === undefined) return;
  throw new UsageError(
    `The tool ${toolName(command)} needs the input ${missing}: ${properties[missing]?.description}.`,
    {
      hint: inputList(command, properties),
    },
  );
}

const inputList = (command: LoadedCommand, properties: Tool['inputSchema']['properties']): string =>
  `The inputs of the tool ${toolName(command)} are: ${Object.keys(properties).join(', ') || 'none'}.`;

function wantedType({ type, items }: Property): string {
  if (type === 'array') return `an array of ${items?.type}s`;
  return type === 'integer' ? 'an integer' : `a ${type}`;
}

function fits(value: unknown, { type }: Property): boolean {
  if (type === 'boolean') return typeof value === 'boolean';
  const isWord = (each: unknown) => typeof each === 'string' || Number.isSafeInteger(each);
  return type === 'array' ? Array.isArray(value) && value.every(isWord) : isWord(value);
}
