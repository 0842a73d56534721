// From a record to the cells and keys that were asked for.

import { isObject, JsonNumber, type JsonObject, type JsonValue, lookUp, stringifyJson } from '../lib/json.ts';
import { drawBars } from './chart.ts';
import type { Column } from './column.ts';
import { plain } from './style.ts';

/** What the column makes of the record, or the first of its paths that has a value. */
export function columnValue(record: JsonObject, { paths, text, textAlone }: Column): JsonValue | undefined {
  const made = text?.(record);
  if (made !== undefined) return made;
  for (const path of paths) {
    const value = lookUp(record, path);
    if (value === undefined || value === null || (textAlone && isObject(value))) continue;
    return value;
  }
  return undefined;
}

export function columnText(record: JsonObject, column: Column): string {
  const value = columnValue(record, column);
  return column.chart ? drawBars(value, Infinity, plain) : cellText(value);
}

export function cellText(value: JsonValue | undefined): string {
  if (value === undefined || value === null) return '';
  if (typeof value === 'string') return value;
  if (value instanceof JsonNumber) return value.text;
  return typeof value === 'object' ? stringifyJson(value) : String(value);
}

/** A record with these keys alone; a dotted path becomes a nested key, an unknown one null. */
export function project(record: JsonObject, fields: readonly string[]): JsonObject {
  const projection = emptyObject();
  for (const field of fields) place(projection, field.split('.'), lookUp(record, field) ?? null);
  return projection;
}

/** Without a prototype, so that `__proto__` is a key like any other. */
const emptyObject = (): JsonObject => Object.create(null);

function place(target: JsonObject, [key = '', ...rest]: string[], value: JsonValue): void {
  if (rest.length === 0) {
    target[key] = value;
    return;
  }
  target[key] ??= emptyObject();
  const next = target[key];
  // Asked for as a whole by a shorter path, it is there already.
  if (isObject(next) && Object.getPrototypeOf(next) === null) place(next, rest, value);
}
