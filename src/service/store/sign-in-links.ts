import type { Database } from '../database/database.ts';
import { raw, sql } from '../database/sql.ts';
import type { OwnToken } from './access.ts';
import { now } from './timestamps.ts';
import { digestOf, newSecret } from './tokens.ts';

const mostForgottenAtOnce = 10;
const lifetimeMs = 5 * 60 * 1_000;

/** The key of a link that signs a browser in, for one visit. */
export const addSignInLink = (db: Database, { id }: OwnToken): Promise<string> =>
  db.transaction({}, async (tx) => {
    const key = newSecret('');
    const end = new Date(Date.now() + lifetimeMs).toISOString();
    await tx.query(sql`
      DELETE FROM links WHERE digest IN (
        SELECT digest FROM links WHERE expires_at <= ${now()} ORDER BY expires_at
          LIMIT ${raw(mostForgottenAtOnce)} ${tx.skipLocked})`);
    await tx.query(sql`
      INSERT INTO links (digest, token_id, expires_at) VALUES (${digestOf(key)}, ${id}, ${end})`);
    return key;
  });

/** The id of the token that made the link. The key works once. */
export const useSignInLink = (db: Database, key: string): Promise<string | undefined> =>
  db.transaction({}, async (tx) => {
    const [used] = await tx.query<{ tokenId: string; expiresAt: string }>(sql`
      DELETE FROM links WHERE digest = ${digestOf(key)} RETURNING token_id AS "tokenId", expires_at AS "expiresAt"`);
    return used && used.expiresAt > now() ? used.tokenId : undefined;
  });
