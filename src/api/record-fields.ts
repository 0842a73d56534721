import { BadResponseError } from '../errors.ts';
import type { Hints } from '../lib/hint.ts';
import { isObject, type JsonObject, type JsonValue, lookUp, textOf } from '../lib/json.ts';
import type { Call } from './call.ts';

type Request = Pick<Call, 'method' | 'path'>;

export const notThisService: Hints = [
  'Check that the base URL belongs to a val service.',
  { text: 'To see the base URL', command: 'config' },
];

const badResponse = (message: string, { method, path }: Request): BadResponseError =>
  new BadResponseError(message, { hint: notThisService, method, path });

/** Where a list is, if an object has several arrays. */
const envelopeKeys = ['data', 'items', 'results', 'runs', 'vals', 'versions'];

export function listIn(body: JsonValue, request: Request): JsonObject[] {
  const list = arrayIn(body);
  if (list === undefined) {
    throw badResponse(`The service answered with ${describe(body)} instead of a list.`, request);
  }
  const stray = list.find((entry) => !isObject(entry));
  if (stray !== undefined) {
    throw badResponse(
      `The service answered with a list that contains ${describe(stray)} instead of a record.`,
      request,
    );
  }
  return list as JsonObject[];
}

function arrayIn(body: JsonValue): JsonValue[] | undefined {
  if (Array.isArray(body)) return body;
  if (!isObject(body)) return undefined;
  const arrays = new Map<string, JsonValue[]>();
  for (const [key, value] of Object.entries(body)) {
    if (Array.isArray(value) && key !== 'errors') arrays.set(key, value);
  }
  const known = envelopeKeys.find((key) => arrays.has(key));
  if (known !== undefined) return arrays.get(known);
  return arrays.size === 1 ? [...arrays.values()][0] : undefined;
}

export function nextQueryOf(body: JsonValue, request: Request): URLSearchParams | null | undefined {
  if (!isObject(body) || !isObject(body.links)) return undefined;
  const { next } = body.links;
  if (next === undefined || next === null || next === '') return null;
  const address = isObject(next) ? next.href : next;
  if (typeof address !== 'string') {
    throw badResponse(`The service sent an invalid link to the next page: ${describe(next)}.`, request);
  }
  const [withoutHash = ''] = address.split('#', 1);
  const queryStart = withoutHash.indexOf('?');
  return new URLSearchParams(queryStart === -1 ? '' : withoutHash.slice(queryStart + 1));
}

export function recordIn(body: JsonValue, request: Request): JsonObject {
  if (isObject(body)) return body;
  throw badResponse(`The service answered with ${describe(body)} instead of a record.`, request);
}

/** Some services send an error with the status of a success. A run has an `error` too, but also a version. */
export function isErrorRecord(body: JsonValue): boolean {
  if (!isObject(body) || body.id !== undefined || body.version !== undefined) return false;
  const hasError = [body.error, body.errors].some((error) =>
    Array.isArray(error) ? error.length > 0 : error,
  );
  return hasError && arrayIn(body) === undefined;
}

export const textAt = (record: JsonValue, path: string): string | undefined => textOf(lookUp(record, path));

/** A version is a whole number from 0 on. */
export function versionOf(record: JsonValue): number | undefined {
  const version = lookUp(record, 'version');
  return typeof version === 'number' && Number.isSafeInteger(version) && version >= 0 ? version : undefined;
}

export const changedAtOf = (record: JsonValue): string | undefined =>
  [textAt(record, 'updatedAt'), textAt(record, 'versionCreatedAt')].filter(Boolean).join(' ') || undefined;

export function ownerOf(record: JsonValue): { id: string; username: string | undefined } | undefined {
  const id = textAt(record, 'author.id') ?? textAt(record, 'author_id');
  return id === undefined ? undefined : { id, username: textAt(record, 'author.username') };
}

const summaryKeys = ['name', 'version', 'privacy', 'updatedAt', 'versionCreatedAt', 'referenceCount'];

/** Leaves out the code and unknown fields, because those of many large vals would fill the memory. */
export const summaryOf = (record: JsonObject): JsonObject =>
  Object.fromEntries(Object.entries(record).filter(([key]) => summaryKeys.includes(key)));

const noCodeHint = 'If the val has code, ask its owner to let you read the code.';

/** Throws if the record has no code, because an empty text would overwrite the user's file. */
export function codeOf(record: JsonObject, hint: Hints = noCodeHint): string {
  const { code } = record;
  if (typeof code === 'string') return code;
  throw new BadResponseError('The service sent the val without its code.', { hint });
}

function describe(value: JsonValue | undefined): string {
  if (value === undefined) return 'nothing';
  if (value === null) return 'null';
  if (Array.isArray(value)) return 'an array';
  if (typeof value === 'number') return 'a number';
  if (isObject(value)) {
    const keys = Object.keys(value).slice(0, 5);
    return keys.length === 0 ? 'an empty object' : `an object with the keys ${keys.join(', ')}`;
  }
  return typeof value === 'string' ? 'a string' : `${value}`;
}
