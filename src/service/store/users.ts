import { createHash, randomBytes, randomUUID } from 'node:crypto';
import type { All, Database } from '../database/database.ts';
import { removeOwner } from './deletion.ts';

export interface User {
  id: string;
  username: string;
}

export interface ListedUser extends User {
  createdAt: string;
  vals: number;
}

export const idPattern = /^[\w-]{1,64}$/;

const newToken = (prefix = 'vals_'): string => `${prefix}${randomBytes(32).toString('base64url')}`;

export const digestOf = (token: string): string => createHash('sha256').update(token).digest('hex');

export const withoutTokens = (text: string): string => text.replace(/vals_(?:local_)?[\w-]{43}/g, '***');

const userColumns = 'users.id, username';

export const isPerson = 'token_digest IS NOT NULL';

export async function ownerOf(all: All): Promise<{ user: User; token: string } | undefined> {
  const [owner] = await all<User & { token: string }>(
    `SELECT ${userColumns}, token FROM owner JOIN users ON users.id = owner.id`,
  );
  return owner && { user: { id: owner.id, username: owner.username }, token: owner.token };
}

/** The owner of a new store. Another process may be opening the same store. */
export function makeOwner({ write }: Database): Promise<{ user: User; token: string }> {
  return write(async (all) => {
    const known = await ownerOf(all);
    if (known) return known;
    const user = { id: randomUUID(), username: 'local' };
    const token = newToken('vals_local_');
    await all('INSERT INTO users (id, username, token_digest, created_at) VALUES (?, ?, ?, ?)', [
      user.id,
      user.username,
      digestOf(token),
      new Date().toISOString(),
    ]);
    await all('INSERT INTO owner (id, token) VALUES (?, ?)', [user.id, token]);
    return { user, token };
  });
}

export async function findUser(all: All, username: string, condition: string): Promise<User | undefined> {
  const sql = `SELECT ${userColumns} FROM users WHERE username = ? AND ${condition}`;
  const [user] = await all<User>(sql, [username]);
  return user;
}

export function createUsers(database: Database) {
  const { all, write, forUpdate } = database;
  const listed = (condition: string) =>
    `SELECT ${userColumns}, created_at AS "createdAt",
      (SELECT count(*) FROM vals WHERE owner_id = users.id) AS vals FROM users WHERE ${isPerson} ${condition}`;

  return {
    async withToken(token: string): Promise<User | undefined> {
      const sql = `SELECT ${userColumns} FROM users WHERE token_digest = ?`;
      const [user] = await all<User>(sql, [digestOf(token)]);
      return user;
    },

    async withId(id: string): Promise<User | undefined> {
      if (!idPattern.test(id)) return undefined;
      const [user] = await all<User>(`SELECT ${userColumns} FROM users WHERE id = ?`, [id]);
      return user;
    },

    async withDigest(id: string): Promise<{ user: User; tokenDigest: string } | undefined> {
      if (!idPattern.test(id)) return undefined;
      const [found] = await all<User & { tokenDigest: string }>(
        `SELECT ${userColumns}, token_digest AS "tokenDigest" FROM users WHERE id = ? AND ${isPerson}`,
        [id],
      );
      return found && { user: { id, username: found.username }, tokenDigest: found.tokenDigest };
    },

    async named(username: string): Promise<ListedUser | undefined> {
      if (!idPattern.test(username)) return undefined;
      const [user] = await all<ListedUser>(listed('AND username = ?'), [username]);
      return user;
    },

    list: (): Promise<ListedUser[]> => all<ListedUser>(listed('ORDER BY username')),

    async add(username: string): Promise<{ user: User; token: string } | undefined> {
      const token = newToken();
      const [user] = await write((all) =>
        all<User>(
          `INSERT INTO users (id, username, token_digest, created_at) VALUES (?, ?, ?, ?)
            ON CONFLICT (username) DO NOTHING RETURNING ${userColumns}`,
          [randomUUID(), username, digestOf(token), new Date().toISOString()],
        ),
      );
      return user && { user, token };
    },

    renewToken: (username: string): Promise<{ user: User; token: string } | undefined> =>
      write(async (all) => {
        const user = await findUser(all, username, `${isPerson}${forUpdate}`);
        if (!user) return undefined;
        const token = newToken();
        await all('UPDATE users SET token_digest = ? WHERE id = ?', [digestOf(token), user.id]);
        await all('UPDATE owner SET token = ? WHERE id = ?', [token, user.id]);
        return { user, token };
      }),

    /** With an id, leaves a new person of the same name alone. */
    remove: (
      username: string,
      withVals: boolean,
      id?: string,
    ): Promise<'removed' | 'absent' | 'has vals' | 'owns the store'> =>
      removeOwner<'absent' | 'owns the store'>(
        database,
        {
          async find(all) {
            const user = await findUser(all, username, isPerson);
            if (!user || user.id !== (id ?? user.id)) return 'absent';
            return (await ownerOf(all))?.user.id === user.id ? 'owns the store' : user;
          },
          endAccess: (all, { id }) =>
            all('UPDATE users SET token_digest = ? WHERE id = ?', [digestOf(newToken()), id]),
        },
        withVals,
      ),
  };
}
