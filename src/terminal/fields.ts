// Selects the cells and keys of a record.
import { isObject, JsonNumber, type JsonObject, type JsonValue, lookUp, stringifyJson } from '../lib/json.ts';
import { visible } from '../lib/visible.ts';
import { drawBars } from './chart.ts';
import type { Column } from './column.ts';

/** The column's computed value, or the first of its paths that has a value. */
export function columnValue(record: JsonObject, { paths, make, textAlone }: Column): JsonValue | undefined {
  const made = make?.(record);
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
  return column.chart ? drawBars(value) : cellText(value);
}

export function cellText(value: JsonValue | undefined): string {
  if (value === undefined || value === null) return '';
  if (typeof value === 'string') return value;
  if (value instanceof JsonNumber) return value.text;
  return typeof value === 'object' ? stringifyJson(value) : String(value);
}

/** A record with only these keys. A dotted path becomes a nested key. A missing key gets the value null. */
export function project(record: JsonObject, fields: readonly string[]): JsonObject {
  const projection = emptyObject();
  for (const field of fields) place(projection, field.split('.'), lookUp(record, field) ?? null);
  return projection;
}

/** The object has no prototype, so that `__proto__` is an ordinary key. */
const emptyObject = (): JsonObject => Object.create(null);

function place(target: JsonObject, [key = '', ...rest]: string[], value: JsonValue): void {
  if (rest.length === 0) {
    target[key] = value;
    return;
  }
  target[key] ??= emptyObject();
  const next = target[key];
  // If the user selected `a` before `a.b`, the result already has the whole value of `a`.
  if (isObject(next) && Object.getPrototypeOf(next) === null) place(next, rest, value);
}

/** Escapes a field of a tab-separated line. A program can undo the escapes and restore the value. */
export const tabSeparated = (text: string): string => visible(text.replaceAll('\\', '\\\\'));
