import type { Hints } from '../lib/hint.ts';
import { isObject, JsonNumber, type JsonObject, type JsonValue, lookUp, stringifyJson } from '../lib/json.ts';
import { visible } from '../lib/visible.ts';
import { drawBars } from './chart.ts';
import type { Glyphs, Style } from './style.ts';

export interface Column {
  header: string;
  paths: readonly string[];
  /** The value is a time. A terminal shows how long ago the time was, such as "5m ago". */
  moment?: boolean;
  withHour?: boolean;
  isId?: boolean;
  neverCut?: boolean;
  /** If the terminal is too narrow, the column with the lowest number is left out first. */
  droppable?: number;
  reservedWidth?: number;
  skipObjects?: boolean;
  only?: 'terminal' | 'pipe';
  /** Keys of the input. If the user gave one of them and all rows have the same value, the column is left out. */
  impliedBy?: readonly string[];
  present?(value: string, record: JsonObject, glyphs: Glyphs): { text: string; tone?: keyof Style };
  compute?: (record: JsonObject) => JsonValue | undefined;
  formatNumber?(value: number): string;
  chart?: { since: string | undefined };
  /** A table shows only the first line of the value. If the value has more lines, the hint is shown too. */
  firstLine?: { hint: Hints };
}

export const column = (header: string, ...paths: string[]): Column => ({
  header,
  paths: paths.length > 0 ? paths : [header],
});

export const authorColumn = (...paths: string[]): Column => ({
  ...column('author', ...paths),
  skipObjects: true,
});

export const idColumn = (header: string, ...paths: string[]): Column => ({
  ...column(header, ...paths),
  isId: true,
  neverCut: true,
  droppable: 1,
});

export const moment = (header: string, ...paths: string[]): Column => ({
  ...column(header, ...paths),
  moment: true,
  neverCut: true,
});

export const figure = (header: string, path: string, formatNumber: (value: number) => string): Column => ({
  ...column(header, path),
  formatNumber,
  neverCut: true,
});

export const chart = (header: string, path: string, since?: string): Column => ({
  ...column(header, path),
  chart: { since },
});

export const columnsFor = (columns: readonly Column[], place: 'terminal' | 'pipe'): Column[] =>
  columns.filter(({ only = place }) => only === place);

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
