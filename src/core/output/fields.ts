import { isObject, type JsonObject, type JsonValue, lookUp } from '../lib/json.ts';

/** The record with these fields alone, as --fields asks for them. */
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
