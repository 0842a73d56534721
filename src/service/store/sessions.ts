import { type Database, DatabaseFailure, type Tx } from '../database/database.ts';
import { raw, sql } from '../database/sql.ts';
import { unauthorized } from '../problem.ts';
import { now } from './timestamps.ts';
import { digestOf, newSecret } from './tokens.ts';

// A session is a row with the digest of its secret, and ends with its token. The key of a link is one that is good once.

export const sessionSeconds = 12 * 60 * 60;
const linkSeconds = 5 * 60;
const mostForgottenAtOnce = 10;

/** Returns the secret. */
export const openSession = (db: Database, tokenId: string, { once }: { once: boolean }): Promise<string> =>
  db
    .transaction((tx) => insertSession(tx, tokenId, { once }))
    .catch((error) => {
      const isGone = error instanceof DatabaseFailure && error.kind === 'orphaned';
      throw isGone ? unauthorized('The token has ended.') : error;
    });

async function insertSession(tx: Tx, tokenId: string, { once }: { once: boolean }): Promise<string> {
  const secret = newSecret('');
  const endsAt = new Date(Date.now() + (once ? linkSeconds : sessionSeconds) * 1_000).toISOString();
  await tx.query(sql`
    DELETE FROM sessions WHERE digest IN (
      SELECT digest FROM sessions WHERE ends_at <= ${now()} ORDER BY ends_at
        LIMIT ${raw(mostForgottenAtOnce)} ${tx.skipLocked})`);
  await tx.query(sql`
    INSERT INTO sessions (digest, token_id, ends_at, once)
      VALUES (${digestOf(secret)}, ${tokenId}, ${endsAt}, ${once ? 1 : 0})`);
  return secret;
}

/** Opens the session of a link, whose key works no second time. */
export const takeSession = (db: Database, key: string): Promise<string | undefined> =>
  db.transaction(async (tx) => {
    const [taken] = await tx.query<{ tokenId: string; endsAt: string }>(sql`
      DELETE FROM sessions WHERE digest = ${digestOf(key)} AND once = 1
        RETURNING token_id AS "tokenId", ends_at AS "endsAt"`);
    return taken && taken.endsAt > now() ? insertSession(tx, taken.tokenId, { once: false }) : undefined;
  });

export const endSession = (db: Database, secret: string): Promise<unknown> =>
  db.transaction((tx) => tx.query(sql`DELETE FROM sessions WHERE digest = ${digestOf(secret)}`));
