export type Schema = { readonly [keyword: string]: unknown };

const text = { type: 'string' };
const textOrNull = { type: ['string', 'null'] };
const integer = { type: 'integer' };
const integerOrNull = { type: ['integer', 'null'] };

const record = (properties: Record<string, Schema>): Schema => ({
  type: 'object',
  required: Object.keys(properties),
  properties,
});

const orNull = (schema: Schema): Schema => ({ anyOf: [schema, { type: 'null' }] });

const links = record({ self: text });
const owner = record({ id: textOrNull, username: textOrNull });
const side = record({ id: textOrNull, name: textOrNull, author_id: textOrNull, username: textOrNull });
const actor = { ...owner, description: 'In a space: the person who owns the token.' };

const val = {
  id: text,
  name: textOrNull,
  code: textOrNull,
  readme: textOrNull,
  privacy: text,
  public: { type: 'boolean' },
  version: integerOrNull,
  createdAt: textOrNull,
  versionCreatedAt: textOrNull,
  updatedAt: textOrNull,
  author: orNull(owner),
  url: text,
  links: record({ self: text, versions: text, module: text }),
  type: text,
  likeCount: integer,
  referenceCount: integer,
};

const user = {
  id: text,
  username: text,
  bio: textOrNull,
  email: text,
  profileImageUrl: textOrNull,
  tier: textOrNull,
  url: text,
  links,
};

export const recordSchemas = {
  User: { ...record(user), properties: { ...user, actor } },
  Space: record({ id: text, username: text, role: { enum: ['read', 'write'] }, url: text }),
  Val: { ...record(val), properties: { ...val, versionAuthor: orNull(owner) } },
  Version: record({ val_id: text, version: integer, createdAt: text, versionAuthor: orNull(owner) }),
  Run: record({
    id: {},
    val: record({ id: textOrNull, name: textOrNull, version: integerOrNull }),
    runStartAt: text,
    runEndAt: text,
    error: { type: ['string', 'object', 'null'], description: 'Null for a run that did not fail.' },
  }),
  Comment: record({
    id: {},
    comment: textOrNull,
    createdAt: text,
    author: owner,
    val: record({ id: textOrNull, name: textOrNull, version: integerOrNull, privacy: textOrNull }),
  }),
  Reference: record({ reference: side, dependsOn: side, referencedAt: text }),
  Health: record({ status: { enum: ['ok', 'draining'] } }),
  PageLink: record({ url: text }),
  Problem: record({ type: text, title: text, status: integer, detail: text, message: text }),
} satisfies Record<string, Schema>;

export const ref = (name: keyof typeof recordSchemas): Schema => ({ $ref: `#/components/schemas/${name}` });

export const listOf = (name: keyof typeof recordSchemas): Schema =>
  record({
    data: { type: 'array', items: ref(name) },
    links: { ...links, properties: { self: text, prev: text, next: text } },
  });
