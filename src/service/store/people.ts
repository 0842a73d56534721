import type { Database, Reader, Tx } from '../database/database.ts';
import { sql } from '../database/sql.ts';
import { firstTokenName, type User } from './access.ts';
import { insertOwner, ownerNamed } from './owners.ts';
import { ownerName, writeTokenFile } from './store-owner.ts';
import { now } from './timestamps.ts';
import { endTokens, insertToken, newSecret } from './tokens.ts';

export interface PersonWithToken {
  user: User;
  token: string;
}

/** Whether nobody has the name, but versions still name it as their author. */
export async function isAuthorName(db: Reader, username: string): Promise<boolean> {
  const [found] = await db.query(sql`
    SELECT version FROM versions WHERE author_name = ${username}
      AND val_id NOT IN (SELECT val_id FROM removed_vals)
      AND NOT EXISTS (SELECT 1 FROM users WHERE username = ${username}) LIMIT 1`);
  return found !== undefined;
}

/** Undefined if the name is taken. */
export const createPerson = (db: Database, username: string): Promise<PersonWithToken | undefined> =>
  db.transaction(async (tx) => {
    const user = await insertOwner(tx, username, 'person');
    return user && giveToken(tx, user);
  });

/**
 * Ends all tokens of the person. `file` is that of an embedded store, whose owner has a token in the file beside it. Undefined
 * if nobody has the name.
 */
export async function renewToken(
  { db, file }: { db: Database; file: string | undefined },
  username: string,
): Promise<PersonWithToken | undefined> {
  const given = await db.transaction(async (tx) => {
    const user = await ownerNamed(tx, username, 'person');
    if (!user) return undefined;
    // Two commands at a time wait here for each other.
    await tx.query(sql`SELECT id FROM users WHERE id = ${user.id} ${tx.forUpdate}`);
    await endTokens(tx, user);
    return giveToken(tx, user);
  });
  if (given && file !== undefined && username === ownerName) writeTokenFile(file, given.token);
  return given;
}

async function giveToken(tx: Tx, { id, username }: User): Promise<PersonWithToken> {
  const user = { id, username };
  const token = newSecret();
  await insertToken(tx, user, { name: firstTokenName, secret: token, at: now() });
  return { user, token };
}
