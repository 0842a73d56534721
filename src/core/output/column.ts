import type { Hints } from '../lib/hint.ts';
import { isObject, type JsonObject, type JsonValue, lookUp, stringifyJson } from '../lib/json.ts';
import { visible } from '../lib/visible.ts';
import type { Glyphs, Style } from './style.ts';

interface AnyColumn {
  header: string;
  /** The value is the first of these fields that the record has, unless `compute` makes it. */
  paths: readonly string[];
  compute?: (record: JsonObject) => JsonValue | undefined;
  /** If the terminal is too narrow, the column with the lowest number is left out first. */
  droppable?: number;
  only?: 'terminal' | 'pipe';
}

export interface TextColumn extends AnyColumn {
  kind: 'text';
  /** For what the next command needs whole. */
  neverCut?: boolean;
  present?(value: string, record: JsonObject, glyphs: Glyphs): { text: string; tone?: keyof Style };
}

/** A terminal shows the beginning of an id. */
interface IdColumn extends AnyColumn {
  kind: 'id';
}

/** A terminal shows how long ago the time was, such as "5m ago". */
interface MomentColumn extends AnyColumn {
  kind: 'moment';
  withHour?: boolean;
}

/** A table shows only the first line of the value. If the value has more lines, the hint is shown too. */
interface LongTextColumn extends AnyColumn {
  kind: 'longText';
  hint: Hints;
}

export type Column = TextColumn | IdColumn | MomentColumn | LongTextColumn;

const placeOf = (header: string, paths: readonly string[]) => ({
  header,
  paths: paths.length > 0 ? paths : [header],
});

export const column = (header: string, ...paths: string[]): TextColumn => ({
  kind: 'text',
  ...placeOf(header, paths),
});

/** Some services send the author as an object, others as a name. */
export const authorColumn = (...paths: string[]): TextColumn => ({
  ...column('author', ...paths),
  compute: (record) => paths.map((path) => lookUp(record, path)).find((value) => !isObject(value ?? {})),
});

export const idColumn = (header: string, ...paths: string[]): IdColumn => ({
  kind: 'id',
  ...placeOf(header, paths),
  droppable: 1,
});

export const moment = (header: string, ...paths: string[]): MomentColumn => ({
  kind: 'moment',
  ...placeOf(header, paths),
});

export const figure = (header: string, path: string, format: (value: number) => string): TextColumn => ({
  ...column(header, path),
  present: (text) => ({ text: text === '' ? '' : format(Number(text)) }),
});

export const longText = (header: string, paths: readonly string[], hint: Hints): LongTextColumn => ({
  kind: 'longText',
  ...placeOf(header, paths),
  hint,
});

export const columnsFor = (columns: readonly Column[], place: 'terminal' | 'pipe'): Column[] =>
  columns.filter(({ only = place }) => only === place);

export function columnValue(record: JsonObject, { paths, compute }: Column): JsonValue | undefined {
  if (compute !== undefined) return compute(record);
  for (const path of paths) {
    const value = lookUp(record, path);
    if (value !== undefined && value !== null) return value;
  }
  return undefined;
}

export const columnText = (record: JsonObject, column: Column): string =>
  cellText(columnValue(record, column));

export function cellText(value: JsonValue | undefined): string {
  if (value === undefined || value === null) return '';
  if (typeof value === 'string') return value;
  return typeof value === 'object' ? stringifyJson(value) : String(value);
}

export const tabCell = (text: string): string => visible(text.replaceAll('\\', '\\\\'));

export const withFields = (value: JsonValue, fields: readonly string[] | undefined): JsonValue =>
  fields && isObject(value) ? project(value, fields) : value;

function project(record: JsonObject, fields: readonly string[]): JsonObject {
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

const maxKeysInWarning = 20;

/** Warns of fields that none of the records has. */
export function createFieldSearch(fields: readonly string[] | undefined) {
  const missing = new Set(fields);
  const present = new Set<string>();
  return {
    searchIn(records: readonly JsonObject[]): void {
      if (missing.size === 0) return;
      for (const record of records) {
        for (const field of missing) if (lookUp(record, field) !== undefined) missing.delete(field);
        if (present.size < maxKeysInWarning) for (const key of Object.keys(record)) present.add(key);
      }
    },
    /** Undefined if every field was found. */
    warning(subject: 'No record has' | 'The record lacks'): string | undefined {
      if (missing.size === 0 || present.size === 0) return undefined;
      const missingFields = [...missing].map((field) => `"${field}"`).join(' or ');
      const presentFields = [...present].slice(0, maxKeysInWarning).join(', ');
      return `${subject} the field ${missingFields}. The fields are: ${presentFields}.`;
    },
  };
}
