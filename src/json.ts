// JSON that keeps every digit: a number that JavaScript would write differently stays as it was sent.

export type JsonValue = null | boolean | number | string | JsonNumber | JsonValue[] | JsonObject;

export interface JsonObject {
  [key: string]: JsonValue;
}

/** A number whose digits a double cannot give back: 12345678901234567890, 1.0, 1e400. */
export class JsonNumber {
  constructor(readonly text: string) {}

  toJSON(): string {
    return mark() + this.text;
  }
}

/** A prefix that no service can guess, so that no string of its own is taken for one of our numbers. */
let secretMark: string | undefined;
const mark = (): string => {
  secretMark ??= `${crypto.randomUUID()}:`;
  return secretMark;
};

// Timestamps hold digits and dots too, so a suspect must stand where only a number can.
const mayLoseDigits = /[[:,\s](?:-0|-?\d+[.eE][\d.eE+-]*|-?\d{16,})[\],}\s]/;
const stringOrNumber = /"[^"\\]*(?:\\.[^"\\]*)*"|-?\d+(?:\.\d+)?(?:[eE][+-]?\d+)?/g;

/** Throws a SyntaxError for what is not JSON. */
export function parseJson(text: string): JsonValue {
  const value: JsonValue = JSON.parse(text);
  if (!mayLoseDigits.test(text)) return value;
  const prefix = mark();
  const marked = text.replace(stringOrNumber, (token) =>
    token.startsWith('"') || String(Number(token)) === token ? token : `"${prefix}${token}"`,
  );
  return JSON.parse(marked, (_key, value) =>
    typeof value === 'string' && value.startsWith(prefix)
      ? new JsonNumber(value.slice(prefix.length))
      : value,
  );
}

// JSON.stringify leaves these raw, and a terminal acts on them.
const unsafeInOutput = /[\u007f-\u009f\u2028\u2029]/g;
const escapeCharacter = (character: string): string =>
  `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`;

export function stringifyJson(value: unknown, indent?: number): string {
  const text = JSON.stringify(value, undefined, indent).replace(unsafeInOutput, escapeCharacter);
  return secretMark === undefined
    ? text
    : text.replace(new RegExp(`"${secretMark}([^"]*)"`, 'g'), (_match, digits: string) => digits);
}

/** A number from its digits, however many. */
export const jsonNumber = (digits: string): number | JsonNumber =>
  String(Number(digits)) === digits ? Number(digits) : new JsonNumber(digits);

export const isObject = (value: unknown): value is JsonObject =>
  typeof value === 'object' && value !== null && !Array.isArray(value) && !(value instanceof JsonNumber);

/** The value at a dotted path, looking at own keys only. */
export function lookUp(value: JsonValue, path: string): JsonValue | undefined {
  let here: JsonValue | undefined = value;
  for (const key of path.split('.')) {
    if (typeof here !== 'object' || here === null || !Object.hasOwn(here, key)) return undefined;
    here = (here as JsonObject)[key];
  }
  return here;
}
