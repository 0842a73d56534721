/** The words of a command of vals, without `vals`. A word such as <file> stands for something that nobody knows yet. */
export type CommandWords = readonly (string | number)[];

/** What to do next. Its commands are written for the reader: quoted, and with the service that was typed. */
export interface Sentence {
  parts: readonly (string | CommandWords)[];
}

export type Hint = string | Sentence;

export type Hints = Hint | readonly Hint[];

export type WriteHints = (hints: Hints) => Promise<string>;

/** A sentence in which each array is a command. */
export const sh = (
  texts: TemplateStringsArray,
  ...values: readonly (string | number | CommandWords)[]
): Sentence => ({
  parts: texts.flatMap((text, index) => {
    const value = values[index];
    if (value === undefined) return [text];
    return [text, typeof value === 'object' ? value : `${value}`];
  }),
});

export function hintList(hints: Hints | undefined): readonly Hint[] {
  if (hints === undefined || hints === '') return [];
  return isList(hints) ? hints : [hints];
}

const isList = (hints: Hints): hints is readonly Hint[] => Array.isArray(hints);

/** For example "one, two and three". */
export const listed = (words: readonly string[]): string => new Intl.ListFormat('en-GB').format(words);

const mostNamed = 5;

export const someOf = (names: readonly string[]): string =>
  names.length <= mostNamed
    ? listed(names)
    : `${names.slice(0, mostNamed).join(', ')} and ${names.length - mostNamed} more`;

export const withFullStop = (sentence: string): string =>
  /[.!?:…]$/.test(sentence) ? sentence : `${sentence}.`;
