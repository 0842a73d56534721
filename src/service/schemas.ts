// What the service sends, as JSON Schemas.

import {
  arrayOf,
  described,
  flag,
  integerSchema,
  momentSchema,
  oneOfSchema,
  orNull,
  record,
  type Schema,
  type TypeOf,
  textOrNull,
  textSchema,
} from './json-schema.ts';
import { tokenAccesses } from './store/access.ts';
import { privacies, valTypes } from './store/vals.ts';

const uuid: Schema<string> = { type: 'string', format: 'uuid' };
const uri: Schema<string> = { type: 'string', format: 'uri' };
const momentOrNull = orNull(momentSchema);

const codeHash = described(textSchema, 'The id that git gives the code as a blob (SHA-1).');
const links = record({ self: uri });
const person = record({ id: uuid, username: textSchema });
const versionAuthor = record(
  { id: uuid, username: textSchema },
  { token: described(textSchema, 'The name of the token, unless it is the first one.') },
);

const side = record({ id: uuid, name: textSchema, author_id: uuid, username: textSchema });
const actor = described(person, 'In a space: the person who owns the token.');
const valLinks = record({ self: uri, versions: uri, module: uri });

const run = {
  id: textSchema,
  val: record({ id: uuid, name: textSchema, version: integerSchema }),
  runStartAt: momentSchema,
  runEndAt: described(momentOrNull, 'Null for a run that has not ended.'),
  error: described(textOrNull, 'Null for a run that did not fail.'),
  reporter: described(person, 'The person who stored the run.'),
};

const tokenLimits = {
  name: textSchema,
  access: described(
    oneOfSchema(tokenAccesses),
    'full: all that the person may do. deploy: read, create private vals, add versions. read: read.',
  ),
  space: described(textOrNull, 'The only space that the token is good for.'),
  expiresAt: momentOrNull,
};
const token = {
  id: uuid,
  ...tokenLimits,
  createdAt: momentSchema,
  lastUsedAt: described(momentOrNull, 'To the minute, and not before createdAt.'),
};

export const recordSchemas = {
  User: record(
    {
      id: uuid,
      username: textSchema,
      bio: textOrNull,
      email: textSchema,
      profileImageUrl: textOrNull,
      tier: textOrNull,
      url: described(uri, 'The page of the caller, or the record of another person.'),
      links,
    },
    { actor, token: described(record(tokenLimits), 'The token of the request, at /v1/me alone.') },
  ),
  Space: record({ id: uuid, username: textSchema, role: oneOfSchema(['read', 'write']), url: uri }),
  Val: record({
    id: uuid,
    name: textSchema,
    code: described(textOrNull, 'Null in lists.'),
    readme: described(textOrNull, 'Null in lists.'),
    privacy: oneOfSchema(privacies),
    public: flag,
    version: integerSchema,
    codeHash,
    createdAt: momentSchema,
    versionCreatedAt: momentSchema,
    updatedAt: momentSchema,
    author: person,
    versionAuthor,
    url: uri,
    links: valLinks,
    type: oneOfSchema(valTypes),
  }),
  Version: record({
    val_id: uuid,
    version: integerSchema,
    codeHash,
    createdAt: momentSchema,
    versionAuthor,
  }),
  Run: record(run),
  RunWithLogs: record({
    ...run,
    logs: described(textOrNull, 'The end of what the run printed. Null if nothing was kept.'),
  }),
  Reference: record({ reference: side, dependsOn: side, referencedAt: momentSchema }),
  Token: record(token),
  NewToken: record({ ...token, token: described(textSchema, 'Shown only here.') }),
  Health: record({ status: oneOfSchema(['ok']) }),
  PageLink: record({ url: uri }),
  Problem: record(
    { type: textSchema, title: textSchema, status: integerSchema, detail: textSchema, message: textSchema },
    {
      errors: described(
        arrayOf(record({ field: textSchema, message: textSchema })),
        'The field of the request that is wrong.',
      ),
      applied: described(flag, 'False if the service knows that the request changed nothing.'),
      concerns: described(
        oneOfSchema(['caller']),
        'The refusal is about the caller: other requests with this token would be refused in the same way.',
      ),
    },
  ),
};

/** What the service sends under this name. A missing field is an error of the compiler. */
export type RecordOf<Name extends keyof typeof recordSchemas> = TypeOf<(typeof recordSchemas)[Name]>;

export const ref = (name: keyof typeof recordSchemas): Schema => ({ $ref: `#/components/schemas/${name}` });

export const listSchema = (name: keyof typeof recordSchemas): Schema =>
  record({
    data: arrayOf(ref(name)),
    links: record({ self: uri }, { next: uri }),
  });
