import { randomUUID } from 'node:crypto';
import type { Database, Reader, Tx } from '../database/database.ts';
import { firstTokenName, idPattern, type User } from './caller.ts';
import { ownerNamed, removeOwner } from './owners.ts';
import { now } from './timestamps.ts';
import { endTokens, insertToken, newSecret } from './tokens.ts';

export interface ListedPerson extends User {
  createdAt: string;
  vals: number;
}

/** The owner of an embedded store, whose token is kept so that it can be printed. */
export interface StoreOwner {
  user: User;
  token: string;
}

const ownerName = 'local';

export async function storeOwner(db: Reader): Promise<StoreOwner | undefined> {
  const [owner] = await db.query<User & { token: string }>(
    'SELECT users.id, username, token FROM owner JOIN users ON users.id = owner.id',
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
    const [others] = await tx.query('SELECT id FROM users LIMIT 1');
    if (others && !evenIfOthers) return undefined;
    const at = now();
    const user = (await ownerNamed(tx, ownerName, 'person')) ?? (await insertPerson(tx, ownerName, at));
    if (!user) return undefined;
    const token = newSecret('vals_local_');
    await insertToken(tx, user, { name: others ? `embedded ${at}` : firstTokenName, secret: token, at });
    await tx.query('INSERT INTO owner (id, token) VALUES (?, ?)', [user.id, token]);
    return { user, token };
  });
}

async function insertPerson(tx: Tx, username: string, at: string): Promise<User | undefined> {
  const [user] = await tx.query<User>(
    `INSERT INTO users (id, username, kind, created_at) VALUES (?, ?, 'person', ?)
      ON CONFLICT (username) DO NOTHING RETURNING id, username`,
    [randomUUID(), username, at],
  );
  return user;
}

export function createPeople(database: Database) {
  const listed = (condition: string) =>
    `SELECT users.id, username, created_at AS "createdAt",
      (SELECT count(*) FROM vals WHERE owner_id = users.id) AS vals FROM users WHERE kind = 'person' ${condition}`;

  const giveToken = async (tx: Tx, user: User, at: string) => {
    const token = newSecret();
    await insertToken(tx, user, { name: firstTokenName, secret: token, at });
    return { user, token };
  };

  return {
    /** A person or a space. */
    async withId(id: string): Promise<User | undefined> {
      if (!idPattern.test(id)) return undefined;
      const [user] = await database.query<User>('SELECT id, username FROM users WHERE id = ?', [id]);
      return user;
    },

    async named(username: string): Promise<ListedPerson | undefined> {
      if (!idPattern.test(username)) return undefined;
      const [user] = await database.query<ListedPerson>(listed('AND username = ?'), [username]);
      return user;
    },

    list: (): Promise<ListedPerson[]> => database.query<ListedPerson>(listed('ORDER BY username')),

    add: (username: string): Promise<{ user: User; token: string } | undefined> =>
      database.transaction({}, async (tx) => {
        const at = now();
        const user = await insertPerson(tx, username, at);
        return user && giveToken(tx, user, at);
      }),

    /** Ends all tokens of the person. */
    renewToken: (username: string): Promise<{ user: User; token: string } | undefined> =>
      database.transaction({}, async (tx) => {
        const user = await ownerNamed(tx, username, 'person');
        if (!user) return undefined;
        // Two commands at a time wait here for each other.
        await tx.query(`SELECT id FROM users WHERE id = ?${tx.forUpdate}`, [user.id]);
        await endTokens(tx, user);
        const given = await giveToken(tx, user, now());
        await tx.query('UPDATE owner SET token = ? WHERE id = ?', [given.token, user.id]);
        return given;
      }),

    /** With an id, leaves a new person of the same name alone. */
    remove: (
      username: string,
      { withVals, id }: { withVals: boolean; id?: string },
    ): Promise<'removed' | 'absent' | 'has vals' | 'owns the store'> =>
      removeOwner<'absent' | 'owns the store'>(
        database,
        {
          async find(tx) {
            const user = await ownerNamed(tx, username, 'person');
            if (!user || user.id !== (id ?? user.id)) return 'absent';
            return (await storeOwner(tx))?.user.id === user.id ? 'owns the store' : user;
          },
          endAccess: endTokens,
        },
        { withVals },
      ),
  };
}
