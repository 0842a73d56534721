// --fields: these columns, and in JSON these keys.
import { isObject, type JsonObject, type JsonValue, lookUp } from '../lib/json.ts';
import type { Say } from './out.ts';
import type { Screen } from './screen.ts';

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
export function createFieldSearch({ fields }: Screen, say: Say) {
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
    report(subject: 'No record has' | 'The record lacks'): void {
      if (missing.size === 0 || present.size === 0) return;
      const missingFields = [...missing].map((field) => `"${field}"`).join(' or ');
      const presentFields = [...present].slice(0, maxKeysInWarning).join(', ');
      say({
        kind: 'warning',
        text: `${subject} the field ${missingFields}. The fields are: ${presentFields}.`,
      });
    },
  };
}
