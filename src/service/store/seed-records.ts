import { isObject, type JsonObject, type JsonValue } from '../../core/lib/json.ts';
import { type BodyField, body, flag, orNull, refuse, text, timestamp, wordOf } from '../fields.ts';
import type { RecordKind } from './records.ts';

type Fields = Record<string, BodyField<JsonValue>>;

const any = <Value extends JsonValue>(
  description: string,
  holds: (value: unknown) => value is Value,
): BodyField<Value> => ({
  schema: {},
  read(value, name) {
    if (holds(value)) return value;
    throw refuse(name, `must be ${description}`);
  },
});

const isText = (value: unknown) => typeof value === 'string';
const isNumber = (value: unknown) => typeof value === 'number';
const number = any('a number', isNumber);
const key = any('a string or a number', (value) => isText(value) || isNumber(value));
const links = any('an object', isObject);

const nullIfAbsent = <Value>({ schema, read }: BodyField<Value>): BodyField<Value | null> => ({
  schema,
  read: (value = null, name) => (value === null ? null : read(value, name)),
});

/** Unlike the body of a request, a seed has no unknown fields, and null for what is optional. */
function object(required: Fields, optional: Fields = {}): BodyField<JsonObject> {
  const nullable = Object.entries(optional).map(([name, field]) => [name, orNull(field)]);
  const { fields, read } = body(required, Object.fromEntries(nullable));
  const known = Object.keys(fields).join(', ');
  return {
    schema: {},
    read(value, name) {
      if (!isObject(value)) throw refuse(name, 'must be an object');
      const unknown = Object.keys(value).find((field) => !Object.hasOwn(fields, field));
      if (unknown) throw refuse(`${name}.${unknown}`, `is an unknown field (known fields: ${known})`);
      return read(value, `${name}.`);
    },
  };
}

const texts = (...names: string[]): Fields => Object.fromEntries(names.map((name) => [name, text()]));

const person = object(
  { id: key, username: nullIfAbsent(text()) },
  { ...texts('bio', 'email', 'profileImageUrl', 'tier', 'url'), links },
);

const ofVals: Fields = {
  ...texts('code', 'readme', 'privacy', 'url', 'type'),
  public: flag,
  version: number,
  likeCount: number,
  referenceCount: number,
  links,
  versionCreatedAt: timestamp,
  updatedAt: timestamp,
  versionAuthor: person,
};

/** Records as they are sent. A time becomes a whole timestamp. */
export const seedRecords: Record<RecordKind, BodyField<JsonObject>> = {
  runs: object(
    {
      id: text(),
      val: object({ version: number }, { id: key, name: text() }),
      runStartAt: timestamp,
      runEndAt: nullIfAbsent(timestamp),
      error: nullIfAbsent(text()),
    },
    { reporter: person },
  ),
  likes: object({ id: key, name: text(), createdAt: timestamp, author: person }, ofVals),
  comments: object(
    {
      id: key,
      comment: text(),
      createdAt: timestamp,
      author: person,
      val: object({ id: key, name: text() }, { ...ofVals, createdAt: timestamp, author: person }),
    },
    { relationship: wordOf(['given', 'received']) },
  ),
};
