import { isObject, type JsonObject, type JsonValue } from '../../lib/json.ts';
import type { RecordKind } from './records.ts';
import { timestampOf } from './timestamps.ts';

type Fault = string;

interface Field {
  isRequired: boolean;
  fault(value: JsonValue): Fault | undefined;
}

const field = (description: string, holds: (value: JsonValue) => boolean): Field => ({
  isRequired: false,
  fault: (value) => (holds(value) ? undefined : ` is not ${description}`),
});

const required = (given: Field): Field => ({ ...given, isRequired: true });

const isNumber = (value: JsonValue) => typeof value === 'number';

const text = field('a string', (value) => typeof value === 'string');
const number = field('a number', isNumber);
const flag = field('true or false', (value) => typeof value === 'boolean');
const key = field('a string or a number', (value) => typeof value === 'string' || isNumber(value));
const time = field(
  'an ISO 8601 timestamp',
  (value) => typeof value === 'string' && timestampOf(value) !== undefined,
);
const error = field('a string or an object', (value) => typeof value === 'string' || isObject(value));
const side = field('given or received', (value) => value === 'given' || value === 'received');
const links = field('an object', isObject);

/** Null is accepted for what is not required. */
const object = (fields: Record<string, Field>): Field => ({
  isRequired: false,
  fault(value) {
    if (!isObject(value)) return ' is not an object';
    const names = Object.keys(fields).join(', ');
    for (const name of Object.keys(value)) {
      if (!Object.hasOwn(fields, name)) return `.${name} is an unknown field (known fields: ${names})`;
    }
    for (const [name, { fault }] of Object.entries(fields)) {
      const content = value[name] ?? null;
      const found = content === null ? undefined : fault(content);
      if (found) return `.${name}${found}`;
    }
    const missing = Object.keys(fields).find(
      (name) => fields[name]?.isRequired && (value[name] ?? null) === null,
    );
    return missing && `.${missing} is missing`;
  },
});

const person = object({
  id: required(key),
  username: text,
  bio: text,
  email: text,
  profileImageUrl: text,
  tier: text,
  url: text,
  links,
});

const valFields = {
  id: required(key),
  name: required(text),
  code: text,
  readme: text,
  privacy: text,
  public: flag,
  version: number,
  createdAt: time,
  versionCreatedAt: time,
  updatedAt: time,
  author: person,
  versionAuthor: person,
  url: text,
  type: text,
  likeCount: number,
  referenceCount: number,
  links,
};

const kinds: Record<RecordKind, Field> = {
  runs: object({
    id: required(key),
    val: required(object({ id: key, name: text, version: number })),
    runStartAt: required(time),
    runEndAt: time,
    error,
    reporter: person,
  }),
  likes: object({ ...valFields, createdAt: required(time), author: required(person) }),
  comments: object({
    id: required(key),
    comment: required(text),
    createdAt: required(time),
    relationship: side,
    author: required(person),
    val: required(object(valFields)),
  }),
};

/** What is wrong with a record of a seed, beginning with the name of its field. */
export const faultOf = (kind: RecordKind, record: JsonValue): Fault | undefined => kinds[kind].fault(record);

const timeFields = ['createdAt', 'versionCreatedAt', 'updatedAt', 'runStartAt', 'runEndAt'];

/** What a record of each kind, and the people and vals in it, have beside the required fields. */
const absent: Record<string, JsonObject> = {
  runs: { runEndAt: null, error: null },
  author: { username: null },
  reporter: { username: null },
};

/** The record as it is sent: with whole timestamps, and null for what it does not say. */
export function completeRecord(kind: string, record: JsonObject): JsonObject {
  const fields = Object.entries({ ...absent[kind], ...record }).map(([name, value]) => {
    if (isObject(value) && absent[name]) return [name, completeRecord(name, value)];
    if (typeof value === 'string' && timeFields.includes(name)) return [name, timestampOf(value) ?? null];
    return [name, value];
  });
  return Object.fromEntries(fields);
}
