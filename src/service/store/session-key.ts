import type { Database, Reader } from '../database/database.ts';
import { newSecret } from './tokens.ts';

export type SessionKey = () => Promise<string>;

/** The secret of the store that sessions are signed with. No backup has it, so a copy of the store makes its own. */
export function createSessionKey(db: Database): SessionKey {
  let known: string | undefined;
  return async () => {
    known ??= (await readKey(db)) ?? (await makeKey(db));
    return known;
  };
}

async function readKey(db: Reader): Promise<string | undefined> {
  const [found] = await db.query<{ secret: string }>('SELECT secret FROM secret');
  return found?.secret;
}

/** Another process may make it at the same moment. */
const makeKey = (db: Database): Promise<string> =>
  db.transaction({}, async (tx) => {
    const made = newSecret('');
    await tx.query('INSERT INTO secret (id, secret) VALUES (1, ?) ON CONFLICT (id) DO NOTHING', [made]);
    return (await readKey(tx)) ?? made;
  });
