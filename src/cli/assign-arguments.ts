// Which word of the command line is which argument: what may be absent is, where there are words for the others alone.
import { UsageError } from '../errors.ts';
import type { AnyCommand, ArgumentDefinition } from './command.ts';

export const argumentsOf = (command: AnyCommand): [key: string, ArgumentDefinition<unknown>][] =>
  Object.entries(command.arguments ?? {});

const isRequired = ({ form }: ArgumentDefinition<unknown>): boolean => form.startsWith('<');
export const isVariadic = ({ form }: ArgumentDefinition<unknown>): boolean => form.includes('...');

export function assignArguments(
  command: AnyCommand,
  words: readonly string[],
): Record<string, string | string[] | undefined> {
  const definitions = argumentsOf(command);
  const required = definitions.filter(([, definition]) => isRequired(definition));
  checkCount(command, words.length, required);
  let spare = words.length - required.length;
  const left = [...words];
  const assigned: Record<string, string | string[] | undefined> = {};
  for (const [key, definition] of definitions) {
    const parse = definition.parse ?? ((word: string) => word);
    if (isVariadic(definition)) assigned[key] = left.splice(0).map(parse);
    else if (isRequired(definition) || spare-- > 0) assigned[key] = parse(left.shift() as string);
  }
  return assigned;
}

function checkCount(command: AnyCommand, given: number, required: ReturnType<typeof argumentsOf>): void {
  const name = `\`vals ${command.path}\``;
  const hint = `\`vals ${command.path} --help\` shows what it takes.`;
  const missing = required[given]?.[1];
  if (missing !== undefined) {
    throw new UsageError(`${name} needs ${missing.form}: ${missing.description}.`, { hint });
  }
  const definitions = argumentsOf(command);
  const most = definitions.length;
  if (given <= most || definitions.some(([, definition]) => isVariadic(definition))) return;
  const takes = most === 0 ? 'no arguments' : most === 1 ? 'one argument' : `at most ${most} arguments`;
  throw new UsageError(`${name} takes ${takes}, but was given ${given}.`, { hint });
}
