import { createHash, randomBytes, randomUUID } from 'node:crypto';
import { limitedToken } from '../../core/lib/problem-types.ts';
import type { Database, Reader, Tx } from '../database/database.ts';
import { raw, type Sql, sql } from '../database/sql.ts';
import { HttpProblem } from '../problem.ts';
import {
  type Access,
  type Identity,
  idPattern,
  isLimited,
  type OwnToken,
  type Role,
  type User,
} from './access.ts';
import type { LastUse } from './last-use.ts';
import { now } from './timestamps.ts';
import { writeAs } from './write-as.ts';

export interface ListedToken {
  id: string;
  name: string;
  createdAt: string;
  lastUsedAt: string | null;
  expiresAt: string | null;
  readOnly: boolean;
  /** The name of the only space that the token is good for. */
  space: string | null;
}

export interface WantedToken {
  name: string;
  readOnly: boolean;
  expiresAt: string | null;
}

export const newSecret = (prefix = 'vals_'): string => `${prefix}${randomBytes(32).toString('base64url')}`;

export const digestOf = (secret: string): string => createHash('sha256').update(secret).digest('hex');

export const withoutTokens = (text: string): string => text.replace(/vals_(?:local_)?[\w-]{43}/g, '***');

interface TokenRow extends User {
  tokenId: string;
  name: string;
  readOnly: number;
  expiresAt: string | null;
  lastUsedAt: string | null;
  limitedTo: string | null;
  spaceId: string | null;
  spaceName: string;
  role: Role;
}

/** Who has this secret, or the session of this token, unless the token has ended. One indexed read, with a row for each space. */
export async function identify(
  { db, lastUse }: { db: Reader; lastUse: LastUse },
  by: { secret: string } | { tokenId: string },
): Promise<Identity | undefined> {
  const [column, value] = 'secret' in by ? ['digest', digestOf(by.secret)] : ['tokens.id', by.tokenId];
  if (!idPattern.test(value)) return undefined;
  const rows = await db.query<TokenRow>(sql`
    SELECT tokens.id AS "tokenId", name, read_only AS "readOnly", expires_at AS "expiresAt",
        last_used_at AS "lastUsedAt", tokens.space_id AS "limitedTo", users.id, users.username,
        space.id AS "spaceId", space.username AS "spaceName", role
      FROM tokens JOIN users ON users.id = tokens.user_id
      LEFT JOIN members ON members.user_id = users.id
        AND (tokens.space_id IS NULL OR tokens.space_id = members.space_id)
      LEFT JOIN users AS space ON space.id = members.space_id
      WHERE ${raw(column)} = ${value} ORDER BY space.username`);
  const [row] = rows;
  if (!row || (row.expiresAt !== null && row.expiresAt <= now())) return undefined;
  lastUse.note(row);
  const { tokenId: id, name, readOnly, expiresAt, limitedTo } = row;
  return {
    actor: { id: row.id, username: row.username },
    token: { id, name, expiresAt, readOnly: readOnly === 1, spaceId: limitedTo },
    spaces: rows.flatMap(({ spaceId, spaceName, role }) =>
      spaceId === null ? [] : [{ id: spaceId, username: spaceName, role }],
    ),
  };
}

/** Below a space: the tokens for that space. Else all tokens of the person. */
const isListed = ({ owner, actor }: Access): Sql =>
  owner.id === actor.id ? sql`user_id = ${actor.id}` : sql`user_id = ${actor.id} AND space_id = ${owner.id}`;

export async function tokensOf(db: Reader, access: Access): Promise<ListedToken[]> {
  const rows = await db.query<Omit<ListedToken, 'readOnly'> & { readOnly: number }>(sql`
    SELECT tokens.id, name, tokens.created_at AS "createdAt", last_used_at AS "lastUsedAt",
        expires_at AS "expiresAt", read_only AS "readOnly", space.username AS space
      FROM tokens LEFT JOIN users AS space ON space.id = space_id WHERE ${isListed(access)} ORDER BY name`);
  return rows.map((row) => ({ ...row, readOnly: row.readOnly === 1 }));
}

export const addToken = (db: Database, access: Access, token: WantedToken) =>
  writeAs(db, access, {}, (tx) => createToken(tx, access, token));

async function createToken(
  tx: Tx,
  { owner, actor, token }: Access,
  { name, readOnly, expiresAt }: WantedToken,
): Promise<ListedToken & { token: string }> {
  if (isLimited(token)) throw limited(token, 'makes no tokens');
  const at = now();
  await tx.query(
    sql`DELETE FROM tokens WHERE user_id = ${actor.id} AND name = ${name} AND expires_at <= ${at}`,
  );
  const space = owner.id === actor.id ? null : owner;
  const secret = newSecret();
  const id = await insertToken(tx, actor, {
    name,
    secret,
    at,
    readOnly,
    expiresAt,
    spaceId: space?.id ?? null,
  });
  if (id === undefined) throw new HttpProblem(409, `You have a token named ${name} already.`);
  const listed = { id, name, createdAt: at, lastUsedAt: null, expiresAt, readOnly };
  return { ...listed, space: space?.username ?? null, token: secret };
}

const limited = ({ name }: OwnToken, what: 'makes no tokens' | 'ends no other tokens'): HttpProblem =>
  new HttpProblem(
    403,
    `The token ${name} ${what}, because it is limited to a space, to reading or in time.`,
    { type: limitedToken },
  );

interface TokenToInsert {
  name: string;
  secret: string;
  at: string;
  readOnly?: boolean;
  expiresAt?: string | null;
  spaceId?: string | null;
}

export async function insertToken(
  tx: Tx,
  user: User,
  { name, secret, at, readOnly = false, expiresAt = null, spaceId = null }: TokenToInsert,
): Promise<string | undefined> {
  const [inserted] = await tx.query<{ id: string }>(sql`
    INSERT INTO tokens (id, user_id, name, digest, created_at, expires_at, read_only, space_id)
      VALUES (${randomUUID()}, ${user.id}, ${name}, ${digestOf(secret)}, ${at}, ${expiresAt}, ${readOnly ? 1 : 0},
        ${spaceId}) ON CONFLICT (user_id, name) DO NOTHING RETURNING id`);
  return inserted?.id;
}

/** Ends all tokens of a person, and with them their sessions. */
export const endTokens = (tx: Tx, user: User): Promise<unknown> =>
  tx.query(sql`DELETE FROM tokens WHERE user_id = ${user.id}`);

export const removeToken = (db: Database, access: Access, id: string): Promise<void> =>
  writeAs(db, access, {}, (tx) => endToken(tx, access, id));

/** A limited token ends itself alone. */
async function endToken(tx: Tx, access: Access, id: string): Promise<void> {
  const { actor, token } = access;
  if (isLimited(token) && id !== token.id) throw limited(token, 'ends no other tokens');
  const [embedded] = await tx.query<{ token: string }>(sql`SELECT token FROM owner WHERE id = ${actor.id}`);
  const [found] = idPattern.test(id)
    ? await tx.query<{ digest: string }>(
        sql`SELECT digest FROM tokens WHERE id = ${id} AND ${isListed(access)} ${tx.forUpdate}`,
      )
    : [];
  if (!found) throw new HttpProblem(404, `You have no token with the id ${id}.`);
  if (embedded && digestOf(embedded.token) === found.digest) {
    throw new HttpProblem(
      409,
      'The service itself uses this token. `vals user token` replaces it, and ends all others.',
    );
  }
  await tx.query(sql`DELETE FROM tokens WHERE id = ${id}`);
}
