// JSON.parse loses digits of some numbers, so `parseJson` returns these numbers as objects of the class JsonNumber.
// For JSON.parse and JSON.stringify, a JsonNumber is a string that begins with `numberMark`.

export type JsonValue = null | boolean | number | string | JsonNumber | JsonValue[] | JsonObject;

export interface JsonObject {
  [key: string]: JsonValue;
}

/** A part of a long list of records. */
export interface Page {
  readonly records: readonly JsonObject[];
  /**
   * Set on the last page of a list that was not read to its end: it has more records than were asked for, or may have, or
   * the service sent the same records again and again.
   */
  readonly end?: 'more' | 'maybe' | 'stuck';
}

/** A number that JavaScript would write differently, such as 12345678901234567890, 1.0 or 1e400. */
export class JsonNumber {
  constructor(readonly text: string) {}

  toJSON(): string {
    return numberMark + this.text;
  }
}

/**
 * The mark is random, so that a service cannot send a string that vals would read as a number. Loading node:crypto for
 * it would take 8 ms of every command.
 */
const numberMark = `${Math.random()}${Math.random()}:`.replaceAll('.', '');
const markedNumber = new RegExp(`"${numberMark}([^"]*)"`, 'g');

// The number must stand between spaces or JSON punctuation, so that a timestamp in a string does not match.
const mayLoseDigits = /(?:^|[[:,\s])(?:-0|-?\d+[.eE][\d.eE+-]*|-?\d{16,})(?:$|[\],}\s])/;
const numberToken = /-?\d+(?:\.\d+)?(?:[eE][+-]?\d+)?/g;

export function parseJson(text: string): JsonValue {
  // Throws if the text is not JSON. `parseWithDigits` would accept some invalid numbers, such as 01.
  const value: JsonValue = JSON.parse(text);
  return mayLoseDigits.test(text) ? parseWithDigits(text) : value;
}

/** Returns undefined if the text is not JSON. */
export function parseIfJson(text: string): JsonValue | undefined {
  try {
    return parseJson(text);
  } catch {
    return undefined;
  }
}

/** Replaces each number that would lose digits with a marked string, then each marked string with a JsonNumber. */
function parseWithDigits(json: string): JsonValue {
  const marked = mapOutsideStrings(json, (part) =>
    part.replace(numberToken, (digits) => JSON.stringify(jsonNumber(digits))),
  );
  return JSON.parse(marked, (_key, item) =>
    typeof item === 'string' && item.startsWith(numberMark)
      ? new JsonNumber(item.slice(numberMark.length))
      : item,
  );
}

export const jsonNumber = (digits: string): number | JsonNumber =>
  String(Number(digits)) === digits ? Number(digits) : new JsonNumber(digits);

/** Uses no regular expression, because it would overflow the stack on a long string. */
function mapOutsideStrings(json: string, map: (part: string) => string): string {
  let mapped = '';
  let from = 0;
  for (;;) {
    const open = json.indexOf('"', from);
    if (open === -1) return mapped + map(json.slice(from));
    const close = closingQuote(json, open);
    mapped += map(json.slice(from, open)) + json.slice(open, close + 1);
    from = close + 1;
  }
}

function closingQuote(json: string, open: number): number {
  let quote = open;
  for (;;) {
    quote = json.indexOf('"', quote + 1);
    if (quote === -1) return json.length;
    let backslashes = 0;
    while (json[quote - 1 - backslashes] === '\\') backslashes++;
    if (backslashes % 2 === 0) return quote;
  }
}

// JSON.stringify does not escape these characters. They can control a terminal or reverse the order of text.
const unsafeInOutput = /[\u007f-\u009f\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069]/g;
export const unicodeEscape = (character: string): string =>
  `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`;

export const stringifyJson = (value: unknown, indent?: number): string =>
  escapeUnsafe(encodeJson(value, indent));

/** Escaping all lines at once is faster than escaping each line. */
export const stringifyLines = (values: readonly unknown[]): string =>
  escapeUnsafe(restoreNumbers(values.map((value) => `${JSON.stringify(value)}\n`).join('')));

export const escapeUnsafe = (json: string): string => json.replace(unsafeInOutput, unicodeEscape);

export const encodeJson = (value: unknown, indent?: number): string =>
  restoreNumbers(JSON.stringify(value, undefined, indent));

export const restoreNumbers = (text: string): string => text.replace(markedNumber, '$1');

export const withoutUndefined = (object: Record<string, JsonValue | undefined>): JsonObject =>
  Object.fromEntries(
    Object.entries(object).filter((entry): entry is [string, JsonValue] => entry[1] !== undefined),
  );

export function textOf(value: JsonValue | undefined): string | undefined {
  if (typeof value === 'string') return value;
  if (typeof value === 'number') return String(value);
  return value instanceof JsonNumber ? value.text : undefined;
}

export const isObject = (value: unknown): value is JsonObject =>
  typeof value === 'object' && value !== null && !Array.isArray(value) && !(value instanceof JsonNumber);

export function lookUp(value: JsonValue, path: string): JsonValue | undefined {
  let here: JsonValue | undefined = value;
  for (const key of path.split('.')) {
    if (Array.isArray(here)) here = /^\d+$/.test(key) ? here[Number(key)] : undefined;
    else here = isObject(here) && Object.hasOwn(here, key) ? here[key] : undefined;
  }
  return here;
}
