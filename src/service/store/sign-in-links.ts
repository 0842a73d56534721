import type { Database } from '../database/database.ts';
import type { CallerToken } from './caller.ts';
import { now } from './timestamps.ts';
import { digestOf, newSecret } from './tokens.ts';

const mostForgottenAtOnce = 10;
const lifetimeMs = 5 * 60 * 1_000;

/** The key of a link that signs a browser in, for one visit. */
export const addSignInLink = (db: Database, { id }: CallerToken): Promise<string> =>
  db.transaction({}, async (tx) => {
    const key = newSecret('');
    await tx.query(
      `DELETE FROM links WHERE digest IN (
        SELECT digest FROM links WHERE expires_at <= ? ORDER BY expires_at LIMIT ${mostForgottenAtOnce}${tx.skipLocked})`,
      [now()],
    );
    await tx.query('INSERT INTO links (digest, token_id, expires_at) VALUES (?, ?, ?)', [
      digestOf(key),
      id,
      new Date(Date.now() + lifetimeMs).toISOString(),
    ]);
    return key;
  });

/** The id of the token that made the link. The key works once. */
export const useSignInLink = (db: Database, key: string): Promise<string | undefined> =>
  db.transaction({}, async (tx) => {
    const [used] = await tx.query<{ tokenId: string; expiresAt: string }>(
      'DELETE FROM links WHERE digest = ? RETURNING token_id AS "tokenId", expires_at AS "expiresAt"',
      [digestOf(key)],
    );
    return used && used.expiresAt > now() ? used.tokenId : undefined;
  });
