import { privacies, valTypes } from '../store/read-vals.ts';

export type Schema = { readonly [keyword: string]: unknown };

const text = { type: 'string' };
const textOrNull = { type: ['string', 'null'] };
const uuid = { type: 'string', format: 'uuid' };
const uri = { type: 'string', format: 'uri' };
const moment = { type: 'string', format: 'date-time' };
const momentOrNull = { type: ['string', 'null'], format: 'date-time' };
const integer = { type: 'integer' };
const integerOrNull = { type: ['integer', 'null'] };
const privacy = { type: 'string', enum: privacies };
const type = { type: 'string', enum: valTypes };

const record = (properties: Record<string, Schema>, optional: Record<string, Schema> = {}): Schema => ({
  type: 'object',
  required: Object.keys(properties),
  properties: { ...properties, ...optional },
});

const orNull = (schema: Schema): Schema => ({ anyOf: [schema, { type: 'null' }] });

const links = record({ self: uri });
const person = record({ id: uuid, username: text });
/** Seeded records may name people and vals of other services. */
const anyPerson = record({ id: textOrNull, username: textOrNull });
const side = record({ id: textOrNull, name: textOrNull, author_id: textOrNull, username: textOrNull });
const actor = { ...person, description: 'In a space: the person who owns the token.' };
const valLinks = record({ self: uri, versions: uri, module: uri });

const run = {
  id: { type: ['string', 'number'] },
  val: record({ id: textOrNull, name: textOrNull, version: integerOrNull }),
  runStartAt: moment,
  runEndAt: moment,
  error: { type: ['string', 'object', 'null'], description: 'Null for a run that did not fail.' },
};
const reporter = { ...person, description: 'The person who stored the run.' };

export const recordSchemas = {
  User: record(
    {
      id: uuid,
      username: text,
      bio: textOrNull,
      email: text,
      profileImageUrl: textOrNull,
      tier: textOrNull,
      url: uri,
      links,
    },
    { actor },
  ),
  Space: record({ id: uuid, username: text, role: { type: 'string', enum: ['read', 'write'] }, url: uri }),
  Val: record({
    id: uuid,
    name: text,
    code: { ...textOrNull, description: 'Null in lists.' },
    readme: { ...textOrNull, description: 'Null in lists.' },
    privacy,
    public: { type: 'boolean' },
    version: integer,
    createdAt: moment,
    versionCreatedAt: moment,
    updatedAt: moment,
    author: person,
    versionAuthor: orNull(person),
    url: uri,
    links: valLinks,
    type,
    likeCount: integer,
    referenceCount: integer,
  }),
  LikedVal: record({
    id: textOrNull,
    name: textOrNull,
    code: textOrNull,
    readme: textOrNull,
    privacy: text,
    public: { type: 'boolean' },
    version: integerOrNull,
    createdAt: momentOrNull,
    versionCreatedAt: momentOrNull,
    updatedAt: momentOrNull,
    author: orNull(anyPerson),
    url: text,
    links: valLinks,
    type: text,
    likeCount: integer,
    referenceCount: integer,
  }),
  Version: record({ val_id: uuid, version: integer, createdAt: moment, versionAuthor: orNull(person) }),
  Run: record(run, { reporter }),
  RunWithLogs: record(
    {
      ...run,
      logs: { ...textOrNull, description: 'The end of what the run printed. Null if nothing was kept.' },
    },
    { reporter },
  ),
  Comment: record({
    id: { type: ['string', 'number'] },
    comment: textOrNull,
    createdAt: moment,
    author: anyPerson,
    val: record({ id: textOrNull, name: textOrNull, version: integerOrNull, privacy: textOrNull }),
  }),
  Reference: record({ reference: side, dependsOn: side, referencedAt: moment }),
  Health: record({ status: { type: 'string', enum: ['ok', 'draining'] } }),
  PageLink: record({ url: uri }),
  Problem: record(
    { type: text, title: text, status: integer, detail: text, message: text },
    {
      errors: {
        type: 'array',
        items: record({ field: text, message: text }),
        description: 'The field of the request that is wrong.',
      },
    },
  ),
} satisfies Record<string, Schema>;

export const ref = (name: keyof typeof recordSchemas): Schema => ({ $ref: `#/components/schemas/${name}` });

export const listOf = (name: keyof typeof recordSchemas): Schema =>
  record({
    data: { type: 'array', items: ref(name) },
    links: record({ self: uri }, { prev: uri, next: uri }),
  });
