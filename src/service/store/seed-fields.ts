import { isObject, JsonNumber, type JsonValue } from '../../lib/json.ts';
import type { RecordKind } from './activity.ts';
import { sortableTime } from './activity.ts';

type Fault = string;
type Check = (value: JsonValue) => Fault | undefined;

const checkValue =
  (description: string, holds: (value: JsonValue) => boolean): Check =>
  (value) =>
    holds(value) ? undefined : ` is not ${description}`;

const isNumber = (value: JsonValue) => typeof value === 'number' || value instanceof JsonNumber;

const text = checkValue('a string', (value) => typeof value === 'string');
const number = checkValue('a number', isNumber);
const flag = checkValue('true or false', (value) => typeof value === 'boolean');
const key = checkValue('a string or a number', (value) => typeof value === 'string' || isNumber(value));
const time = checkValue(
  'an ISO 8601 timestamp',
  (value) => typeof value === 'string' && sortableTime(value) !== undefined,
);
const error = checkValue('a string or an object', (value) => typeof value === 'string' || isObject(value));
const side = checkValue('given or received', (value) => value === 'given' || value === 'received');
const links = checkValue('an object', isObject);

const shape =
  (fields: Record<string, Check>): Check =>
  (value) => {
    if (!isObject(value)) return ' is not an object';
    for (const [name, content] of Object.entries(value)) {
      const check = Object.hasOwn(fields, name) ? fields[name] : undefined;
      if (!check) return `.${name} is an unknown field (known fields: ${Object.keys(fields).join(', ')})`;
      const fault = content === null ? undefined : check(content);
      if (fault) return `.${name}${fault}`;
    }
    return undefined;
  };

const user = shape({
  id: key,
  username: text,
  bio: text,
  email: text,
  profileImageUrl: text,
  tier: text,
  url: text,
  links,
});
const val = shape({
  id: key,
  name: text,
  code: text,
  readme: text,
  privacy: text,
  public: flag,
  version: number,
  createdAt: time,
  versionCreatedAt: time,
  updatedAt: time,
  author: user,
  author_id: key,
  username: text,
  url: text,
  type: text,
  likeCount: number,
  referenceCount: number,
  links,
});

const checks: Record<RecordKind, Check> = {
  runs: shape({
    id: key,
    val,
    valId: key,
    valName: text,
    version: number,
    runStartAt: time,
    runEndAt: time,
    error,
  }),
  likes: val,
  comments: shape({ id: key, comment: text, createdAt: time, relationship: side, author: user, val }),
  references: shape({ id: key, reference: val, dependsOn: val, referencedAt: time }),
};

export function faultOf(kind: RecordKind, record: JsonValue): Fault | undefined {
  const fault = checks[kind](record);
  if (fault) return fault;
  return isObject(record) && record.id === null ? '.id is null' : undefined;
}
