import type { Database, Reader, Tx } from '../database/database.ts';
import { sql } from '../database/sql.ts';
import { newSecret } from './tokens.ts';

export type SessionKey = () => Promise<string>;

/** The secret of the store that sessions are signed with. No backup has it, so a copy of the store makes its own. */
export function createSessionKey(db: Database): SessionKey {
  let known: string | undefined;
  return async () => {
    known ??= (await readKey(db)) ?? (await db.transaction({}, makeKey));
    return known;
  };
}

async function readKey(db: Reader): Promise<string | undefined> {
  const [found] = await db.query<{ secret: string }>(sql`SELECT secret FROM secret`);
  return found?.secret;
}

/** Another process may make it at the same moment. */
async function makeKey(tx: Tx): Promise<string> {
  const made = newSecret('');
  await tx.query(sql`INSERT INTO secret (id, secret) VALUES (1, ${made}) ON CONFLICT (id) DO NOTHING`);
  return (await readKey(tx)) ?? made;
}
