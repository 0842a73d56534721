import { BadResponseError } from '../errors.ts';
import { isObject, type JsonObject, type JsonValue, lookUp, textAt } from '../lib/json.ts';

/** A list comes as `{ data, links }` or as an array. Returns undefined for anything else. */
export function arrayIn(body: JsonValue | undefined): JsonValue[] | undefined {
  const list = isObject(body) ? body.data : body;
  return Array.isArray(list) ? list : undefined;
}

export const recordsIn = (body: JsonValue | undefined): JsonObject[] => arrayIn(body)?.filter(isObject) ?? [];

/** Null if this is the last page, undefined if the service sends no links. */
export function nextLinkIn(body: JsonValue | undefined): JsonValue | undefined {
  if (!isObject(body) || !isObject(body.links)) return undefined;
  return body.links.next || null;
}

/** A version is a whole number from 0 on. */
export function versionOf(record: JsonValue | undefined): number | undefined {
  const version = lookUp(record, 'version');
  return typeof version === 'number' && Number.isSafeInteger(version) && version >= 0 ? version : undefined;
}

export const changedAtOf = (record: JsonValue): string | undefined =>
  [textAt(record, 'updatedAt'), textAt(record, 'versionCreatedAt')].filter(Boolean).join(' ') || undefined;

export function ownerOf(record: JsonValue): { id: string; username: string | undefined } | undefined {
  const id = textAt(record, 'author.id') ?? textAt(record, 'author_id');
  return id === undefined ? undefined : { id, username: textAt(record, 'author.username') };
}

/** A person, with the name of the token, because CI acts with the token of a person: `ada (ci)`. */
export function personAt(record: JsonValue, path: string): string | undefined {
  const token = textAt(record, `${path}.token`);
  const name = textAt(record, `${path}.username`);
  return token === undefined ? name : `${name} (${token})`;
}

/** Throws if the record has no code, because an empty text would overwrite the user's file. */
export function codeOf({ code }: JsonObject): string {
  if (typeof code === 'string') return code;
  throw new BadResponseError('The service sent the val without its code.', {
    hint: 'If the val has code, ask its owner to let you read the code.',
  });
}
