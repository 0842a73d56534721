import { InvalidValue } from '../errors.ts';
import type { GivenVal } from '../find-val/find-val.ts';
import { asQuestion, type Hint, nearest, sh } from '../lib/hint.ts';
import { longestTimeout, parseSeconds } from '../settings/settings.ts';

/** How the word for a val is resolved before the command gets its id. */
export interface ValReference {
  /** A file that exists is not resolved. */
  orFile?: boolean;
  /** NAME@2 is version 2 of the val. */
  orVersion?: boolean;
}

export type ValueSchema = {
  type: 'string' | 'integer' | 'number';
  enum?: string[];
  minimum?: number;
  exclusiveMinimum?: number;
  maximum?: number;
};

/** What a value is: how it is read, described to an agent, shown in the help and completed in a shell. */
export interface ValueType<Value> {
  /** Stands for the value in help and hints: `n` in `--limit <n>`. */
  placeholder: string;
  /** Throws an InvalidValue. */
  parse(word: string): Value;
  schema: ValueSchema;
  /** No words but those of the schema are accepted, so the help lists them. */
  acceptsOnlyWords?: boolean;
  /** It names a val, so a shell offers the names of vals. */
  isVal?: boolean;
  /** How to find the value, if it is required and was not given. */
  hintIfMissing?: Hint;
  val?: ValReference;
}

const asTyped = (word: string): string => word;

export const text = (placeholder: string): ValueType<string> => parsedText(placeholder, asTyped);

export const parsedText = <Value>(placeholder: string, parse: (word: string) => Value): ValueType<Value> => ({
  placeholder,
  parse,
  schema: { type: 'string' },
});

export const path = (placeholder = 'file'): ValueType<string> => text(placeholder);

/** The name for a val. The service decides which names are valid. */
export const newName = (): ValueType<string> =>
  parsedText('name', (word) => {
    if (word.trim() === '') throw new InvalidValue('needs a name.', 'For example hello.');
    return word;
  });

/** Before the command runs, the val that the word means takes the place of the word. */
export const val = (reference: ValReference = {}): ValueType<GivenVal> => ({
  ...parsedText(reference.orFile ? 'val|file' : 'val', (word) => {
    if (word !== '' && (reference.orFile || !/^\.\.?$/.test(word))) return { id: word, word };
    throw new InvalidValue(`takes a val, not "${word}".`, 'Give a name, or an id as a list shows it.');
  }),
  isVal: true,
  val: reference,
});

/** The command gets the word for the val as it was typed. */
export const valWord = (): ValueType<string> => ({ ...text('val'), isVal: true });

export const oneOf = <Word extends string>(
  words: readonly Word[],
  placeholder = 'word',
): ValueType<Word> => ({
  placeholder,
  parse(typed) {
    const found = words.find((word) => word === typed);
    if (found !== undefined) return found;
    throw new InvalidValue(
      `takes one of ${words.join(', ')}, not "${typed}".${asQuestion(nearest(typed, words))}`,
      `For example ${words[0]}.`,
    );
  },
  schema: { type: 'string', enum: [...words] },
  acceptsOnlyWords: true,
});

/** Other words are accepted too: only the service knows them all. */
export const wordLike = (words: readonly string[], placeholder = 'word'): ValueType<string> => ({
  ...text(placeholder),
  schema: { type: 'string', enum: [...words] },
});

export const integer = ({
  min,
  max = Number.MAX_SAFE_INTEGER,
  example = Math.max(min, 20),
}: {
  min: number;
  max?: number;
  example?: number;
}): ValueType<number> => ({
  placeholder: 'n',
  parse(word) {
    const value = Number(word);
    if (/^\d+$/.test(word) && value >= min && value <= max) return value;
    const range = max === Number.MAX_SAFE_INTEGER ? `of at least ${min}` : `from ${min} to ${max}`;
    throw new InvalidValue(`takes a whole number ${range}, not "${word}".`, `For example ${example}.`);
  },
  schema: { type: 'integer', minimum: min, ...(max < Number.MAX_SAFE_INTEGER && { maximum: max }) },
});

export const port = (): ValueType<number> => integer({ min: 0, max: 65_535, example: 8787 });

export const seconds = (): ValueType<number> => ({
  placeholder: 'seconds',
  parse: parseSeconds,
  schema: { type: 'number', exclusiveMinimum: 0, maximum: longestTimeout },
});

const toListVersions: Hint = sh`To list the versions, run ${['version', 'ls', '<val>']}.`;

export const versionNumber = (placeholder = 'n'): ValueType<number> => ({
  placeholder,
  parse(word) {
    if (/^\d+$/.test(word) && Number.isSafeInteger(Number(word))) return Number(word);
    throw new InvalidValue(`takes the number of a version, not "${word}".`, [
      'A version number is a whole number.',
      toListVersions,
    ]);
  },
  hintIfMissing: toListVersions,
  schema: { type: 'integer', minimum: 0 },
});

export const time = (): ValueType<string> => parsedText('time', (word) => parseMoment(word));

const longestAgeMs = 36_500 * 86_400_000;

/** In milliseconds. */
export const age = (): ValueType<number> =>
  parsedText('age', (word) => {
    const ms = parseAge(word);
    if (ms !== undefined && ms > 0 && ms <= longestAgeMs) return ms;
    throw new InvalidValue(
      `takes a time of at most 100 years, such as 30m, 12h or 90d, not "${word}".`,
      'For example 90d.',
    );
  });

const unitMs: Record<string, number> = {
  s: 1_000,
  m: 60_000,
  h: 3_600_000,
  d: 86_400_000,
  w: 604_800_000,
};

const isoForm = /^(\d{4})-(\d\d)-(\d\d)(?:[T ](\d\d:\d\d(?::\d\d(?:\.\d+)?)?)(Z|[+-]\d\d:?\d\d)?)?$/i;

function parseAge(text: string): number | undefined {
  const [, count, unit = ''] = /^(\d+)([smhdw])$/.exec(text) ?? [];
  return count === undefined ? undefined : Number(count) * (unitMs[unit] ?? 0);
}

export function parseMoment(text: string, now = Date.now()): string {
  if (text === 'now') return new Date(now).toISOString();
  const age = parseAge(text);
  const iso = isoForm.exec(text);
  let time = Number.NaN;
  if (age !== undefined) {
    time = now - age;
  } else if (iso) {
    // Without a zone, a time is local, as the screens show it.
    const [, year, month, day, clock = '00:00', zone = ''] = iso;
    // The day must be checked, because Date.parse would read 30 February as 2 March.
    const exists =
      new Date(Date.UTC(Number(year), Number(month) - 1, Number(day))).getUTCDate() === Number(day);
    if (exists) time = Date.parse(`${year}-${month}-${day}T${clock}${zone.toUpperCase()}`);
  }
  const date = new Date(time);
  if (Number.isNaN(date.getTime())) {
    throw new InvalidValue(
      `takes a time, not "${text}".`,
      'Use ISO 8601 (2026-01-31, 2026-01-31 09:30 or 2026-01-31T09:30:00Z), now, or an age: 90s, 30m, 2h, 7d, 1w.',
    );
  }
  return date.toISOString();
}
