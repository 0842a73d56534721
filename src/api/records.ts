// Reads the answers of services that differ: a list in any envelope, a message in any error body.
import { BadResponseError } from '../errors.ts';
import { isObject, JsonNumber, type JsonObject, type JsonValue, lookUp, textOf } from '../lib/json.ts';

/** The request, for errors. */
type Asked = { method: string; path: string };

export const notThisService = 'Check that the base URL belongs to a val service. `vals config` shows it.';

const envelopeKeys = [
  'data',
  'items',
  'results',
  'records',
  'runs',
  'vals',
  'versions',
  'likes',
  'comments',
  'references',
];

/** The records of a list. Throws if the shape is unknown. */
export function rowsOf(body: JsonValue, { method, path }: Asked): JsonObject[] {
  const rows = Array.isArray(body) ? body : isObject(body) ? rowsInEnvelope(body) : undefined;
  if (rows === undefined) {
    throw new BadResponseError(`The service answered with ${describe(body)} instead of a list.`, {
      hint: notThisService,
      method,
      path,
    });
  }
  const stray = rows.find((row) => !isObject(row));
  if (stray !== undefined) {
    throw new BadResponseError(
      `The service answered with a list that contains ${describe(stray)} instead of a record.`,
      { hint: notThisService, method, path },
    );
  }
  return rows as JsonObject[];
}

function rowsInEnvelope(body: JsonObject): JsonValue[] | undefined {
  const arrays = Object.keys(body).filter((key) => Array.isArray(body[key]) && key !== 'errors');
  const key =
    envelopeKeys.find((key) => arrays.includes(key)) ?? (arrays.length === 1 ? arrays[0] : undefined);
  return key === undefined ? undefined : (body[key] as JsonValue[]);
}

/** The query of `links.next`; null at the end of the list, undefined if the service sends no links. */
export function nextQueryOf(body: JsonValue, { method, path }: Asked): URLSearchParams | null | undefined {
  if (!isObject(body) || !isObject(body.links)) return undefined;
  const { next } = body.links;
  if (next === undefined || next === null || next === '') return null;
  const address = isObject(next) ? next.href : next;
  if (typeof address !== 'string') {
    throw new BadResponseError(`The service sent an invalid link to the next page: ${describe(next)}.`, {
      hint: notThisService,
      method,
      path,
    });
  }
  const query = address.indexOf('?');
  return new URLSearchParams(query === -1 ? '' : address.slice(query + 1).replace(/#.*$/, ''));
}

export function recordOf(body: JsonValue, { method, path }: Asked): JsonObject {
  if (isObject(body)) return body;
  throw new BadResponseError(`The service answered with ${describe(body)} instead of a record.`, {
    hint: notThisService,
    method,
    path,
  });
}

/** The message in an error body, whichever of the common shapes it has; undefined if there is none. */
export function serviceMessageOf(body: unknown, redact: (text: string) => string): string | undefined {
  const message = findMessage(body);
  if (!message?.trim()) return undefined;
  const text = redact(message).replace(/\s+/g, ' ').trim();
  return text.length > 500 ? `${text.slice(0, 500)}…` : text;
}

function findMessage(body: unknown): string | undefined {
  if (typeof body === 'string') {
    if (!/^\s*<(!doctype|html)/i.test(body)) return body;
    const title = /<title[^>]*>([^<]*)/i.exec(body)?.[1]?.trim();
    return title ? `an HTML page titled "${title}"` : 'an HTML page';
  }
  if (Array.isArray(body)) {
    const messages = body.map(placedMessage).filter((message) => message !== undefined);
    return messages.length > 0 ? messages.join('; ') : undefined;
  }
  if (!isObject(body)) return undefined;
  const own = (keys: readonly string[]) =>
    keys.map((key) => (Object.hasOwn(body, key) ? findMessage(body[key]) : undefined)).find(Boolean);
  const message = own(['message', 'detail', 'error', 'title', 'msg', 'reason']);
  const parts = own(['errors', 'validation', 'issues', 'details']) ?? fieldMessages(body.errors);
  if (parts === undefined || message?.includes(parts)) return message;
  return message === undefined ? parts : `${message.replace(/[.:]?$/, ':')} ${parts}`;
}

/** Adds the name of the field, unless the message contains it. */
function placedMessage(part: unknown): string | undefined {
  const message = findMessage(part);
  if (message === undefined || !isObject(part)) return message;
  const place = [part.field ?? part.path ?? part.instancePath ?? part.dataPath ?? '']
    .flat()
    .map(textOf)
    .join('.');
  return place === '' || message.includes(place) ? message : `${place}: ${message}`;
}

/** Some services send an object from field names to messages. */
function fieldMessages(errors: unknown): string | undefined {
  if (!isObject(errors)) return undefined;
  const messages = Object.entries(errors).map(([field, found]) => [field, findMessage(found)]);
  const said = messages.filter(([, message]) => message).map((parts) => parts.join(': '));
  return said.length > 0 ? said.join('; ') : undefined;
}

/** The value at a dotted path as text. */
export const textAt = (record: JsonValue, path: string): string | undefined => textOf(lookUp(record, path));

/** Undefined for null; zero is a version. */
export const versionOf = (record: JsonValue): JsonValue | undefined => lookUp(record, 'version') ?? undefined;

/** The times of the last change. A service may use a version number twice, so the number is not enough. */
export const changedAtOf = (record: JsonValue): string | undefined =>
  [textAt(record, 'updatedAt'), textAt(record, 'versionCreatedAt')].filter(Boolean).join(' ') || undefined;

/** The owner of a val, if the service sends one. */
export function ownerOf(record: JsonValue): { id: string; username: string | undefined } | undefined {
  const id = textAt(record, 'author.id') ?? textAt(record, 'author_id');
  return id === undefined ? undefined : { id, username: textAt(record, 'author.username') };
}

const noCodeHint = 'Ask the owner of the val. It has no code, or the service does not show the code to you.';

/** Throws if there is no code: an empty text in its place would overwrite a file. */
export function codeOf(record: JsonObject, hint = noCodeHint): string {
  const { code } = record;
  if (typeof code === 'string') return code;
  throw new BadResponseError('The service sent the val without its code.', {
    hint,
  });
}

function describe(value: JsonValue | undefined): string {
  if (value === undefined) return 'nothing';
  if (value === null) return 'null';
  if (Array.isArray(value)) return 'an array';
  if (value instanceof JsonNumber || typeof value === 'number') return 'a number';
  if (isObject(value)) {
    const keys = Object.keys(value).slice(0, 5);
    return keys.length === 0 ? 'an empty object' : `an object with the keys ${keys.join(', ')}`;
  }
  return typeof value === 'string' ? 'a text' : `${value}`;
}
