import { isObject, JsonNumber, type JsonObject, type JsonValue, lookUp, stringifyJson } from '../lib/json.ts';
import { visible } from '../lib/visible.ts';
import { drawBars } from './chart.ts';
import type { Column } from './column.ts';

export function columnValue(
  record: JsonObject,
  { paths, compute, skipObjects }: Column,
): JsonValue | undefined {
  const computed = compute?.(record);
  if (computed !== undefined) return computed;
  for (const path of paths) {
    const value = lookUp(record, path);
    const isSkipped = skipObjects && isObject(value);
    if (value !== undefined && value !== null && !isSkipped) return value;
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

export function project(record: JsonObject, fields: readonly string[]): JsonObject {
  const projection = emptyObject();
  for (const field of fields) setAtPath(projection, field.split('.'), lookUp(record, field) ?? null);
  return projection;
}

/** Without a prototype, `__proto__` is a key like any other. */
const emptyObject = (): JsonObject => Object.create(null);

function setAtPath(target: JsonObject, path: readonly string[], value: JsonValue): void {
  const [key = '', ...keysBelow] = path;
  if (keysBelow.length === 0) {
    target[key] = value;
    return;
  }
  target[key] ??= emptyObject();
  const below = target[key];
  if (isObject(below) && isMadeHere(below)) setAtPath(below, keysBelow, value);
}

/** Only `emptyObject` makes objects without a prototype. Other objects belong to the record and must not be changed. */
const isMadeHere = (object: JsonObject): boolean => Object.getPrototypeOf(object) === null;

export const tabCell = (text: string): string => visible(text.replaceAll('\\', '\\\\'));
