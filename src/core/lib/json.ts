export type JsonValue = null | boolean | number | string | JsonValue[] | JsonObject;

export interface JsonObject {
  [key: string]: JsonValue;
}

/** A part of a long list of records. */
export interface Page {
  readonly records: readonly JsonObject[];
  /** Set on the last page, if the list has more records than were asked for, or may have. */
  readonly end?: 'more' | 'maybe';
}

export const parseJson = (text: string): JsonValue => JSON.parse(text);

/** Returns undefined if the text is not JSON. */
export function parseIfJson(text: string): JsonValue | undefined {
  try {
    return parseJson(text);
  } catch {
    return undefined;
  }
}

// JSON.stringify does not escape these characters. They can control a terminal or reverse the order of text.
const unsafeInOutput = /[\u007f-\u009f\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069]/g;
export const unicodeEscape = (character: string): string =>
  `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`;

export const stringifyJson = (value: unknown, indent?: number): string =>
  escapeUnsafe(JSON.stringify(value, undefined, indent));

/** Escaping all lines at once is faster than escaping each line. */
export const stringifyLines = (values: readonly unknown[]): string =>
  escapeUnsafe(values.map((value) => `${JSON.stringify(value)}\n`).join(''));

export const escapeUnsafe = (json: string): string => json.replace(unsafeInOutput, unicodeEscape);

export const withoutUndefined = (object: Record<string, JsonValue | undefined>): JsonObject =>
  Object.fromEntries(
    Object.entries(object).filter((entry): entry is [string, JsonValue] => entry[1] !== undefined),
  );

export function textOf(value: JsonValue | undefined): string | undefined {
  if (typeof value === 'string') return value;
  return typeof value === 'number' ? String(value) : undefined;
}

export const isObject = (value: unknown): value is JsonObject =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

export function lookUp(value: JsonValue | undefined, path: string): JsonValue | undefined {
  let here = value;
  for (const key of path.split('.')) {
    if (Array.isArray(here)) here = /^\d+$/.test(key) ? here[Number(key)] : undefined;
    else here = isObject(here) && Object.hasOwn(here, key) ? here[key] : undefined;
  }
  return here;
}

export const textAt = (record: JsonValue | undefined, path: string): string | undefined =>
  textOf(lookUp(record, path));
