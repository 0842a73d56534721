import type { JsonValue } from './json.ts';

/**
 * What to do next, as data. A person reads a command of the shell, and an agent reads a call of a tool.
 * - Without `command` and `input`, `text` is one or more whole sentences.
 * - With `command`, `text` is the purpose without a full stop: "To overwrite it". `command` is the path of the command,
 *   such as "val rm", and `input` has its arguments and options by their input names.
 * - With `input` alone, the hint is about options to add to the command that is running.
 *
 * In `input`, `true` for something that takes a value stands for a placeholder. A required argument that `input` lacks
 * is written as a placeholder too.
 */
export interface Hint {
  text: string;
  command?: string;
  input?: HintInput;
}

export type HintInput = Readonly<Record<string, JsonValue>>;

/** The value of an argument that takes several paths or vals. A long list would make the command hard to read. */
export const listOf = (words: readonly string[]): JsonValue =>
  words.length > mostListed ? true : [...words];

const mostListed = 3;

/** A string is a hint without a command. */
export type Hints = string | Hint | readonly (string | Hint)[];

export type WriteHints = (hints: Hints) => Promise<string>;

/** Writes with `writeHint`. An id in the input of a hint becomes the word that the user typed for that val. */
export function createHintWriter(
  writeHint: (hint: Hint) => string | Promise<string>,
  typedWords: ReadonlyMap<string, string>,
): WriteHints {
  const wordOf = (value: JsonValue): JsonValue =>
    typeof value === 'string' ? (typedWords.get(value) ?? value) : value;
  const withWords = (input: HintInput): HintInput =>
    Object.fromEntries(
      Object.entries(input).map(([key, value]) => [
        key,
        Array.isArray(value) ? value.map(wordOf) : wordOf(value),
      ]),
    );
  const writeOne = (hint: Hint) =>
    writeHint(hint.input === undefined ? hint : { ...hint, input: withWords(hint.input) });
  return async (hints) => (await Promise.all(hintList(hints).map(writeOne))).join(' ');
}

export function hintList(hints: Hints | undefined): Hint[] {
  if (hints === undefined || hints === '') return [];
  const list: readonly (string | Hint)[] = isList(hints) ? hints : [hints];
  return list.map((hint) => (typeof hint === 'string' ? { text: hint } : hint));
}

const isList = (hints: Hints): hints is readonly (string | Hint)[] => Array.isArray(hints);

/** Makes one list for several errors that differ only in what they are about. */
export function mergeHints(lists: readonly (readonly Hint[])[]): Hint[] {
  const [first = [], ...others] = lists;
  return first.map((hint, index) => {
    if (hint.input === undefined) return hint;
    const inputs = [hint.input, ...others.map((list) => list[index]?.input ?? {})];
    return { ...hint, input: mergeInputs(inputs) };
  });
}

/** Lists are joined. If a single value differs, one command cannot serve all, so what differs becomes a placeholder. */
function mergeInputs(inputs: readonly HintInput[]): HintInput {
  const keys = Object.keys(inputs[0] ?? {});
  const valuesOf = (key: string) => inputs.map((input) => input[key] ?? true);
  const differing = keys.filter(
    (key) => new Set(valuesOf(key).map((value) => JSON.stringify(value))).size > 1,
  );
  const areLists = differing.every((key) => valuesOf(key).every(Array.isArray));
  const merged = (key: string): JsonValue => {
    const values = valuesOf(key);
    if (!differing.includes(key)) return values[0] ?? true;
    const all = [...new Set(values.flat())];
    return areLists && all.length <= mostListed ? all : true;
  };
  return Object.fromEntries(keys.map((key) => [key, merged(key)]));
}

/** Two errors with the same key can share the hints that `mergeHints` makes. */
export const keyOfHints = (hints: readonly Hint[]): string =>
  JSON.stringify(hints.map(({ text, command, input = {} }) => [text, command, Object.keys(input)]));
