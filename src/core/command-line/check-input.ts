import { parseNamed, UsageError } from '../errors.ts';
import { type Hint, type Hints, hintList } from '../lib/hint.ts';
import type { Flags } from '../settings/settings.ts';
import type { AnyCommand, ArgumentDefinition, OptionDefinition, Options } from './command.ts';
import { argumentsOf } from './options.ts';

type RawInput = Readonly<Record<string, unknown>>;

export interface InputNames {
  /** What the reader of an error calls an argument or option: `--limit` for a person, `limit` for an agent. */
  nameOf(key: string): string;
  hint: Hints;
}

/** Turns the words of a command line, or the values of a tool call, into the input of the command. */
export function checkInput(command: AnyCommand, raw: RawInput, names: InputNames): Record<string, unknown> {
  try {
    const args = argumentsOf(command).map(([key, definition]) => [
      key,
      checkArgument(definition, raw[key], { ...names, name: names.nameOf(key) }),
    ]);
    return { ...Object.fromEntries(args), ...checkOptions(command.options ?? {}, raw, names) };
  } catch (error) {
    if (error instanceof UsageError) error.facts.hint = hintList(error.facts.hint).map(withTyped(raw));
    throw error;
  }
}

/** In the place of `<val>`, a hint names the val that was typed. */
const withTyped =
  (raw: RawInput) =>
  (hint: Hint): Hint => {
    if (typeof hint === 'string') return hint;
    const typedFor = (word: string | number) => {
      const typed = raw[/^<(\w+)>$/.exec(`${word}`)?.[1] ?? ''];
      return typeof typed === 'string' ? typed : word;
    };
    return { parts: hint.parts.map((part) => (typeof part === 'string' ? part : part.map(typedFor))) };
  };

export function refuseOneDocument({ json }: Flags, option: string): void {
  if (!json) return;
  throw new UsageError(`${option} never ends, so it cannot print one JSON document.`, {
    hint: 'To print one record per line, use --ndjson instead of --json.',
  });
}

export function checkOptions(options: Options, raw: RawInput, names: InputNames): Record<string, unknown> {
  refuseConflicts(options, raw, names);
  return Object.fromEntries(
    Object.entries(options).map(([key, definition]) => [
      key,
      checkOption(definition, raw[key], { ...names, name: names.nameOf(key) }),
    ]),
  );
}

interface Named {
  name: string;
  hint: Hints;
}

function checkArgument(definition: ArgumentDefinition, raw: unknown, named: Named): unknown {
  const { value, optional, repeatable, description } = definition;
  const isGiven = repeatable ? listOf(raw, named).length > 0 : raw !== undefined;
  if (!isGiven && !optional) {
    throw new UsageError(`${named.name} is missing: ${description}.`, {
      hint: [...hintList(value.hintIfMissing), ...hintList(named.hint)],
    });
  }
  const parse = (word: string) => parseNamed(named.name, () => value.parse(word));
  if (repeatable) return listOf(raw, named).map(parse);
  return isGiven ? parse(wordOf(raw, named)) : undefined;
}

function checkOption(definition: OptionDefinition, raw: unknown, named: Named): unknown {
  const { value = typeof raw === 'string' ? definition.afterEquals : undefined, repeatable } = definition;
  if (raw === undefined) return definition.default;
  if (value === undefined) {
    if (typeof raw !== 'boolean') throw wrongType('a boolean', named);
    return raw;
  }
  const parse = (word: string) => parseNamed(named.name, () => value.parse(word));
  return repeatable ? listOf(raw, named).map(parse) : parse(wordOf(raw, named));
}

function refuseConflicts(options: Options, raw: RawInput, { nameOf, hint }: InputNames): void {
  const isGiven = (key: string) => raw[key] !== undefined && raw[key] !== false;
  for (const [key, { conflicts = [] }] of Object.entries(options)) {
    const other = isGiven(key) ? conflicts.find(isGiven) : undefined;
    if (other === undefined) continue;
    throw new UsageError(`${nameOf(key)} and ${nameOf(other)} cannot be given together.`, { hint });
  }
}

function listOf(value: unknown, named: Named): string[] {
  if (value === undefined) return [];
  if (!Array.isArray(value)) throw wrongType('an array of strings', named);
  return value.map((each) => wordOf(each, named));
}

/** An agent may give a number that is exact. A null character would be an error of the file system later. */
function wordOf(value: unknown, named: Named): string {
  const isExact = typeof value === 'number' && (!Number.isInteger(value) || Number.isSafeInteger(value));
  if (typeof value !== 'string' && !isExact) throw wrongType('a string', named);
  const word = String(value);
  if (word.includes('\0')) {
    throw new UsageError(`${named.name} contains a null character.`, { hint: 'Remove the null character.' });
  }
  return word;
}

const wrongType = (wanted: string, { name, hint }: Named): UsageError =>
  new UsageError(`${name} must be ${wanted}.`, { hint });
