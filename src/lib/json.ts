// JSON that keeps every digit: a number that JavaScript would write differently becomes a JsonNumber, which stores the
// text of the number.
//
// JSON.parse and JSON.stringify would lose digits. So while they run, such a number is a string that begins with a secret
// mark: `parseJson` marks the numbers in the text, and `restoreNumbers` turns the marked strings into numbers again.

export type JsonValue = null | boolean | number | string | JsonNumber | JsonValue[] | JsonObject;

export interface JsonObject {
  [key: string]: JsonValue;
}

/** A number that JavaScript would write differently, such as 12345678901234567890, 1.0 or 1e400. */
export class JsonNumber {
  constructor(readonly text: string) {}

  toJSON(): string {
    return mark() + this.text;
  }
}

/** Random, so that a service cannot send a string that begins with the mark and would be taken for a number. */
let secretMark: string | undefined;
const mark = (): string => {
  secretMark ??= `${crypto.randomUUID()}:`;
  return secretMark;
};

// Strings such as timestamps contain digits and dots too, so this matches only a number between JSON's punctuation.
const mayLoseDigits = /[[:,\s](?:-0|-?\d+[.eE][\d.eE+-]*|-?\d{16,})[\],}\s]/;
// A JSON text that begins like this is a single number.
const isLoneNumber = /^\s*[-\d]/;
const numberToken = /-?\d+(?:\.\d+)?(?:[eE][+-]?\d+)?/g;

const maxDepth = 1_000;
const maxValues = 4_000_000;

/** Throws a SyntaxError if the text is not JSON, and a RangeError if it is nested too deeply or has too many values. */
export function parseJson(text: string): JsonValue {
  // This check comes first, because JSON.parse needs seconds and gigabytes for some texts of a few megabytes.
  if (isTooComplex(text)) throw new RangeError('nested too deeply, or too many values');
  const value: JsonValue = JSON.parse(text);
  if (!mayLoseDigits.test(text) && !isLoneNumber.test(text)) return value;
  const prefix = mark();
  const keepDigits = (token: string) => (String(Number(token)) === token ? token : `"${prefix}${token}"`);
  const marked = mapOutsideStrings(text, (part) => part.replace(numberToken, keepDigits));
  return JSON.parse(marked, (_key, value) =>
    typeof value === 'string' && value.startsWith(prefix) ? jsonNumber(value.slice(prefix.length)) : value,
  );
}

/** If the text is not JSON, the result does not matter, because JSON.parse then throws. */
function isTooComplex(text: string): boolean {
  // Nearly every text has few brackets, and counting them is fast. If the text has fewer than maxDepth / 2
  // brackets of each kind, it cannot be nested too deeply.
  const mayBeDeep = hasMany(text, '[', maxDepth / 2) || hasMany(text, '{', maxDepth / 2);
  if (!mayBeDeep && text.length < maxValues) return false;
  let depth = 0;
  let values = 0;
  for (let at = 0; at < text.length; at++) {
    const character = text[at];
    if (character === '"') at = closingQuote(text, at);
    else if (character === ',') values++;
    else if (character === '{' || character === '[') depth++;
    else if (character === '}' || character === ']') depth--;
    if (depth > maxDepth || values > maxValues) return true;
  }
  return false;
}

function hasMany(text: string, character: string, count: number): boolean {
  let at = -1;
  for (let found = 0; found < count; found++) {
    at = text.indexOf(character, at + 1);
    if (at === -1) return false;
  }
  return true;
}

/** Maps the parts of the JSON text outside string literals. A regular expression would overflow the stack on a long string. */
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

// JSON.stringify does not escape these characters. Some of them control a terminal, and others reverse the text
// that follows.
const unsafeInOutput = /[\u007f-\u009f\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069]/g;
export const unicodeEscape = (character: string): string =>
  `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`;

/** JSON that is safe to print on a terminal. */
export const stringifyJson = (value: unknown, indent?: number): string =>
  escapeUnsafe(encodeJson(value, indent));

/** One line for each value, safe to print. Escapes all lines at once, which is faster than line by line. */
export const stringifyLines = (values: readonly unknown[]): string =>
  escapeUnsafe(restoreNumbers(values.map((value) => `${JSON.stringify(value)}\n`).join('')));

const escapeUnsafe = (json: string): string => json.replace(unsafeInOutput, unicodeEscape);

/** JSON as it is sent to a service. */
export const encodeJson = (value: unknown, indent?: number): string =>
  restoreNumbers(JSON.stringify(value, undefined, indent));

/** Turns marked strings into numbers. */
export const restoreNumbers = (text: string): string =>
  secretMark === undefined
    ? text
    : text.replace(new RegExp(`"${secretMark}([^"]*)"`, 'g'), (_match, digits: string) => digits);

/** Returns a JsonNumber if JavaScript's number would lose digits. */
export const jsonNumber = (digits: string): number | JsonNumber =>
  String(Number(digits)) === digits ? Number(digits) : new JsonNumber(digits);

export const withoutUndefined = (object: Record<string, JsonValue | undefined>): JsonObject =>
  Object.fromEntries(
    Object.entries(object).filter((entry): entry is [string, JsonValue] => entry[1] !== undefined),
  );

/** A string or number as text, with all digits; undefined for other values. */
export function textOf(value: JsonValue | undefined): string | undefined {
  if (typeof value === 'string') return value;
  if (typeof value === 'number') return String(value);
  return value instanceof JsonNumber ? value.text : undefined;
}

export const isObject = (value: unknown): value is JsonObject =>
  typeof value === 'object' && value !== null && !Array.isArray(value) && !(value instanceof JsonNumber);

/** The value at a dotted path such as `val.name`. Inherited keys such as `constructor` are not found. */
export function lookUp(value: JsonValue, path: string): JsonValue | undefined {
  let here: JsonValue | undefined = value;
  for (const key of path.split('.')) {
    if (Array.isArray(here)) here = /^\d+$/.test(key) ? here[Number(key)] : undefined;
    else here = isObject(here) && Object.hasOwn(here, key) ? here[key] : undefined;
  }
  return here;
}
