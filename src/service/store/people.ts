import type { Database, Reader, Tx } from '../database/database.ts';
import { sql } from '../database/sql.ts';
import { firstTokenName, type User } from './access.ts';
import {
  insertOwner,
  type ListedOwner,
  listOwners,
  ownerNamed,
  type RemoveOptions,
  removeOwner,
} from './owners.ts';
import { now } from './timestamps.ts';
import { endTokens, insertToken, newSecret } from './tokens.ts';

/** The owner of an embedded store, whose token is kept so that it can be printed. */
export interface StoreOwner {
  user: User;
  token: string;
}

const ownerName = 'local';

export async function storeOwner(db: Reader): Promise<StoreOwner | undefined> {
  const [owner] = await db.query<User & { token: string }>(
    sql`SELECT users.id, username, token FROM owner JOIN users ON users.id = owner.id`,
  );
  return owner && { user: { id: owner.id, username: owner.username }, token: owner.token };
}

/**
 * The owner of a new store. A copy of a store has people, but no owner: it gets one only if a command needs one, as
 * `--local` does.
 */
export function makeStoreOwner(
  database: Database,
  { evenIfOthers }: { evenIfOthers: boolean },
): Promise<StoreOwner | undefined> {
  return database.transaction({}, async (tx) => {
    // Another process may be opening the same store.
    const known = await storeOwner(tx);
    if (known) return known;
    const [others] = await tx.query(sql`SELECT id FROM users LIMIT 1`);
    if (others && !evenIfOthers) return undefined;
    const user = (await ownerNamed(tx, ownerName, 'person')) ?? (await insertOwner(tx, ownerName, 'person'));
    if (!user) return undefined;
    const token = newSecret('vals_local_');
    const at = now();
    await insertToken(tx, user, { name: others ? `embedded ${at}` : firstTokenName, secret: token, at });
    await tx.query(sql`INSERT INTO owner (id, token) VALUES (${user.id}, ${token})`);
    return { user, token };
  });
}

export function createPeople(database: Database) {
  const giveToken = async (tx: Tx, { id, username }: User) => {
    const user = { id, username };
    const token = newSecret();
    await insertToken(tx, user, { name: firstTokenName, secret: token, at: now() });
    return { user, token };
  };

  return {
    named: (username: string): Promise<ListedOwner | undefined> => ownerNamed(database, username, 'person'),

    list: (): Promise<ListedOwner[]> => listOwners(database, 'person'),

    add: (username: string): Promise<{ user: User; token: string } | undefined> =>
      database.transaction({}, async (tx) => {
        const user = await insertOwner(tx, username, 'person');
        return user && giveToken(tx, user);
      }),

    /** Ends all tokens of the person. */
    renewToken: (username: string): Promise<{ user: User; token: string } | undefined> =>
      database.transaction({}, async (tx) => {
        const user = await ownerNamed(tx, username, 'person');
        if (!user) return undefined;
        // Two commands at a time wait here for each other.
        await tx.query(sql`SELECT id FROM users WHERE id = ${user.id} ${tx.forUpdate}`);
        await endTokens(tx, user);
        const given = await giveToken(tx, user);
        await tx.query(sql`UPDATE owner SET token = ${given.token} WHERE id = ${user.id}`);
        return given;
      }),

    remove: (username: string, options: RemoveOptions) => removeOwner(database, username, 'person', options),
  };
}
