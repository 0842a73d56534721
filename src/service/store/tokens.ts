import { createHash, randomBytes, randomUUID } from 'node:crypto';
import type { Database, Reader, Tx } from '../database/database.ts';
import { type Sql, sql } from '../database/sql.ts';
import { HttpProblem } from '../problem.ts';
import {
  type Access,
  type Identity,
  idPattern,
  isGoodToken,
  isInSpace,
  isLimited,
  type OwnToken,
  type Role,
  type TokenAccess,
  type User,
} from './access.ts';
import { now } from './timestamps.ts';
import { checkAccess, requireToken, writeOwn } from './write-as.ts';

export interface ListedToken {
  id: string;
  name: string;
  createdAt: string;
  lastUsedAt: string | null;
  expiresAt: string | null;
  access: TokenAccess;
  /** The name of the only space that the token is good for. */
  space: string | null;
}

export interface WantedToken {
  name: string;
  access: TokenAccess;
  expiresAt: string | null;
}

export const newSecret = (prefix = 'vals_'): string => `${prefix}${randomBytes(32).toString('base64url')}`;

export const digestOf = (secret: string): string => createHash('sha256').update(secret).digest('hex');

export const withoutTokens = (text: string): string => text.replace(/vals_(?:local_)?[\w-]{43}/g, '***');

interface TokenRow extends User {
  tokenId: string;
  name: string;
  access: TokenAccess;
  expiresAt: string | null;
  lastUsedAt: string | null;
  limitedTo: string | null;
  spaceId: string | null;
  spaceName: string;
  role: Role;
}

const withDigest = (digest: string): Record<'token' | 'session', Sql> => ({
  token: sql`tokens WHERE digest = ${digest}`,
  session: sql`tokens JOIN sessions ON token_id = tokens.id
    WHERE sessions.digest = ${digest} AND once = 0 AND ends_at > ${now()}`,
});

/** Whose token or session it is, unless that has ended. One indexed read, with a row for each space. */
export async function identify(
  { db, lastUse }: { db: Reader; lastUse: LastUse },
  kind: 'token' | 'session',
  secret: string,
): Promise<Identity | undefined> {
  const rows = await db.query<TokenRow>(sql`
    SELECT used.id AS "tokenId", name, access, expires_at AS "expiresAt",
        last_used_at AS "lastUsedAt", used.space_id AS "limitedTo", users.id, users.username,
        space.id AS "spaceId", space.username AS "spaceName", role
      FROM (SELECT tokens.* FROM ${withDigest(digestOf(secret))[kind]} AND ${isGoodToken()}) AS used JOIN users ON users.id = used.user_id
      LEFT JOIN members ON members.user_id = users.id AND (used.space_id IS NULL OR used.space_id = members.space_id)
      LEFT JOIN users AS space ON space.id = members.space_id ORDER BY space.username`);
  const [row] = rows;
  if (!row) return undefined;
  lastUse.note(row);
  const { tokenId: id, name, access, expiresAt, limitedTo } = row;
  return {
    actor: { id: row.id, username: row.username },
    token: { id, name, access, expiresAt, spaceId: limitedTo },
    spaces: rows.flatMap(({ spaceId, spaceName, role }) =>
      spaceId === null ? [] : [{ id: spaceId, username: spaceName, role }],
    ),
  };
}

type Listing = Pick<Access, 'owner' | 'actor'>;

/** Below a space: the tokens for that space. Else all tokens of the person. */
const isListed = ({ owner, actor }: Listing): Sql =>
  owner.id === actor.id ? sql`user_id = ${actor.id}` : sql`user_id = ${actor.id} AND space_id = ${owner.id}`;

export async function tokensOf(db: Reader, listing: Listing): Promise<ListedToken[]> {
  const tokens = await db.query<ListedToken>(sql`
    SELECT tokens.id, name, tokens.created_at AS "createdAt", last_used_at AS "lastUsedAt",
        expires_at AS "expiresAt", access, space.username AS space
      FROM (SELECT * FROM tokens WHERE ${isListed(listing)} AND ${isGoodToken()}) AS tokens
      LEFT JOIN users AS space ON space.id = space_id`);
  const key = ({ name, space }: ListedToken) => `${name}\0${space ?? ''}`;
  return tokens.sort((a, b) => (key(a) < key(b) ? -1 : 1));
}

export const addToken = (db: Database, access: Access, token: WantedToken) =>
  writeOwn(db, access, (tx) => createToken(tx, access, token));

const mostTokens = 100;

async function createToken(
  tx: Tx,
  access: Access,
  { name, access: wanted, expiresAt }: WantedToken,
): Promise<ListedToken & { token: string }> {
  const { owner, actor, token } = access;
  if (isLimited(token)) throw limited(token, 'makes no tokens');
  // Two requests of the person wait here for each other, so that both count right.
  await tx.query(sql`SELECT id FROM users WHERE id = ${actor.id} ${tx.locking('FOR NO KEY UPDATE')}`);
  // A member who may only read by now gets no token that writes.
  await (access.mayWrite ? checkAccess(tx, access) : requireToken(tx, access));
  const at = now();
  await tx.query(sql`DELETE FROM tokens WHERE user_id = ${actor.id} AND expires_at <= ${at}`);
  const [counted] = await tx.query<{ tokens: number }>(
    sql`SELECT count(*) AS tokens FROM tokens WHERE user_id = ${actor.id}`,
  );
  if ((counted?.tokens ?? 0) >= mostTokens) {
    throw new HttpProblem(409, `You have ${mostTokens} tokens already. End one of them first.`);
  }
  const space = isInSpace(access) ? owner : null;
  const secret = newSecret();
  // The token of a member who may only read stays so, whatever the member may do later.
  const given = access.mayWrite ? wanted : 'read';
  const id = await insertToken(tx, actor, {
    ...{ name, secret, at, access: given, expiresAt, spaceId: space?.id ?? null },
  });
  if (id === undefined) throw new HttpProblem(409, `You have a token named ${name} already.`);
  const times = { createdAt: at, lastUsedAt: null, expiresAt };
  return { id, name, ...times, access: given, space: space?.username ?? null, token: secret };
}

const limited = ({ name }: OwnToken, what: 'makes no tokens' | 'ends no other tokens'): HttpProblem =>
  new HttpProblem(
    403,
    `The token ${name} ${what}, because it is limited to a space, in access or in time. Use a token without limits.`,
    { concerns: 'caller' },
  );

interface TokenToInsert {
  name: string;
  secret: string;
  at: string;
  access?: TokenAccess;
  expiresAt?: string | null;
  spaceId?: string | null;
}

export async function insertToken(
  tx: Tx,
  user: User,
  { name, secret, at, access = 'full', expiresAt = null, spaceId = null }: TokenToInsert,
): Promise<string | undefined> {
  const [inserted] = await tx.query<{ id: string }>(sql`
    INSERT INTO tokens (id, user_id, name, digest, created_at, expires_at, access, space_id)
      VALUES (${randomUUID()}, ${user.id}, ${name}, ${digestOf(secret)}, ${at}, ${expiresAt}, ${access},
        ${spaceId}) ON CONFLICT (user_id, coalesce(space_id, ''), name) DO NOTHING RETURNING id`);
  return inserted?.id;
}

/** Ends all tokens of a person, and with them their sessions. */
export const endTokens = (tx: Tx, user: User): Promise<unknown> =>
  tx.query(sql`DELETE FROM tokens WHERE user_id = ${user.id}`);

/** For whoever runs the service. */
export const endTokenOf = (db: Database, user: User, id: string): Promise<unknown> =>
  db.transaction((tx) => tx.query(sql`DELETE FROM tokens WHERE id = ${id} AND user_id = ${user.id}`));

export const removeToken = (db: Database, access: Access, id: string): Promise<EndedToken> =>
  writeOwn(db, access, (tx) => endToken(tx, access, id));

type EndedToken = Pick<ListedToken, 'name' | 'id'>;

/** A limited token ends itself alone. */
async function endToken(tx: Tx, access: Access, id: string): Promise<EndedToken> {
  const { token } = access;
  if (isLimited(token) && id !== token.id) throw limited(token, 'ends no other tokens');
  await requireToken(tx, access);
  const [ended] = idPattern.test(id)
    ? await tx.query<EndedToken>(
        sql`DELETE FROM tokens WHERE id = ${id} AND ${isListed(access)} RETURNING name, id`,
      )
    : [];
  if (!ended) throw new HttpProblem(404, `You have no token with the id ${id}.`);
  return ended;
}

export interface LastUse {
  note(token: { tokenId: string; lastUsedAt: string | null }): void;
  /** Resolves when all that was noted is written. */
  written(): Promise<unknown>;
}

/** For a service that runs inside of one command. */
export const withoutNotes: LastUse = { note() {}, written: async () => {} };

/** Notes when tokens were last used, to the minute but not before they were made, with at most one write a minute for each token. */
export function createLastUse(db: Database): LastUse {
  const noted = new Map<string, string>();
  let writing: Promise<unknown> = Promise.resolve();
  return {
    note({ tokenId, lastUsedAt }) {
      const minute = `${now().slice(0, 16)}:00.000Z`;
      if ((lastUsedAt ?? '') >= minute || noted.get(tokenId) === minute) return;
      noted.set(tokenId, minute);
      const write = db.transaction((tx) =>
        tx.query(sql`
          UPDATE tokens SET last_used_at = CASE WHEN created_at > ${minute} THEN created_at ELSE ${minute} END
            WHERE id = ${tokenId}`),
      );
      // Nobody waits for this write, and a database that cannot take it now gets the next one.
      writing = Promise.all([writing, write.catch(() => noted.delete(tokenId))]).then(() => undefined);
    },
    written: () => writing,
  };
}
