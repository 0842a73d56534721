/** The words of a command of vals, without `vals`. A word such as <file> stands for something that nobody knows yet. */
export type CommandWords = readonly (string | number)[];

/** What to do next. Its commands are written for the reader: quoted, and with the service that was typed. */
export interface Sentence {
  parts: readonly (string | CommandWords)[];
}

export type Hint = string | Sentence;

export type Hints = Hint | readonly Hint[];

export type WriteHints = (hints: Hints) => string;

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

/** The first names, and how many more there are. */
export function someOf(names: readonly string[], { most = 5, total = names.length } = {}): string {
  const shown = names.slice(0, most);
  const more = total - shown.length;
  return listed(more > 0 ? [...shown, `${more} more`] : shown);
}

export const withFullStop = (sentence: string): string =>
  /[.!?:…]$/.test(sentence) ? sentence : `${sentence}.`;

const mostSuggestions = 3;
const largestShareOfEdits = 0.4;
/** Comparing all names of a large workspace would take too long. */
const mostCompared = 2_000;

export const asQuestion = (suggestions: readonly string[]): string =>
  suggestions.length === 0 ? '' : ` Did you mean ${suggestions.join(' or ')}?`;

export function nearest(word: string, names: Iterable<string>): string[] {
  const farthest = Math.max(1, Math.floor(word.length * largestShareOfEdits));
  return [...new Set(names)]
    .filter((name) => Math.abs(name.length - word.length) <= farthest)
    .slice(0, mostCompared)
    .map((name) => ({ name, distance: editDistance(word.toLowerCase(), name.toLowerCase()) }))
    .filter(({ distance }) => distance <= farthest)
    .sort((a, b) => a.distance - b.distance)
    .slice(0, mostSuggestions)
    .map(({ name }) => name);
}

function editDistance(a: string, b: string): number {
  let beforeLast: number[] = [];
  let last = Array.from({ length: b.length + 1 }, (_, index) => index);
  for (let i = 1; i <= a.length; i++) {
    const row = [i];
    for (let j = 1; j <= b.length; j++) {
      const removed = (last[j] ?? 0) + 1;
      const added = (row[j - 1] ?? 0) + 1;
      const changed = (last[j - 1] ?? 0) + (a[i - 1] === b[j - 1] ? 0 : 1);
      let least = Math.min(removed, added, changed);
      const isSwap = a[i - 1] === b[j - 2] && a[i - 2] === b[j - 1];
      if (isSwap) least = Math.min(least, (beforeLast[j - 2] ?? 0) + 1);
      row.push(least);
    }
    beforeLast = last;
    last = row;
  }
  return last[b.length] ?? 0;
}
