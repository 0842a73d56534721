// The people of a store and their tokens, of which only the digests are stored.
import { createHash, randomBytes, randomUUID } from 'node:crypto';
import type { All, Database } from './database/database.ts';

export interface User {
  id: string;
  username: string;
}

export interface ListedUser extends User {
  createdAt: string;
  /** How many they own. */
  vals: number;
}

const newToken = (): string => `vals_${randomBytes(32).toString('base64url')}`;

export const digestOf = (token: string): string => createHash('sha256').update(token).digest('hex');

/** A text without the tokens in it. */
export const withoutTokens = (text: string): string => text.replace(/vals_(?:local_)?[\w-]{43}/g, '***');

const userColumns = 'users.id, username';

/** A user without a token is a space. */
const isPerson = 'token_digest IS NOT NULL';

/** The owner of a store, with the token in plain text. Undefined for a shared store. */
export async function ownerOf(all: All): Promise<{ user: User; token: string } | undefined> {
  const [owner] = await all<User & { token: string }>(
    `SELECT ${userColumns}, token FROM owner JOIN users ON users.id = owner.id`,
  );
  return owner && { user: { id: owner.id, username: owner.username }, token: owner.token };
}

export function createUsers({ all, write, forUpdate }: Database) {
  const named = async (all: All, username: string, lock = '') =>
    (
      await all<User>(`SELECT ${userColumns} FROM users WHERE username = ? AND ${isPerson}${lock}`, [
        username,
      ])
    )[0];

  const listed = (condition: string) =>
    `SELECT ${userColumns}, created_at AS "createdAt",
      (SELECT count(*) FROM vals WHERE owner_id = users.id) AS vals FROM users WHERE ${isPerson} ${condition}`;

  return {
    withToken: async (token: string): Promise<User | undefined> =>
      (await all<User>(`SELECT ${userColumns} FROM users WHERE token_digest = ?`, [digestOf(token)]))[0],

    withId: async (id: string): Promise<User | undefined> =>
      (await all<User>(`SELECT ${userColumns} FROM users WHERE id = ?`, [id]))[0],

    /** With the digest that a session of the page is made with: the session ends with the token. */
    async withDigest(id: string): Promise<{ user: User; tokenDigest: string } | undefined> {
      const [found] = await all<User & { tokenDigest: string }>(
        `SELECT ${userColumns}, token_digest AS "tokenDigest" FROM users WHERE id = ? AND ${isPerson}`,
        [id],
      );
      return found && { user: { id, username: found.username }, tokenDigest: found.tokenDigest };
    },

    named: async (username: string): Promise<ListedUser | undefined> =>
      (await all<ListedUser>(listed('AND username = ?'), [username]))[0],

    list: (): Promise<ListedUser[]> => all<ListedUser>(listed('ORDER BY username')),

    /** Undefined if the name is taken. */
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

    /** Replaces the token. Undefined if there is no such person. */
    renewToken: (username: string): Promise<{ user: User; token: string } | undefined> =>
      write(async (all) => {
        const user = await named(all, username, forUpdate);
        if (!user) return undefined;
        const token = newToken();
        await all('UPDATE users SET token_digest = ? WHERE id = ?', [digestOf(token), user.id]);
        await all('UPDATE owner SET token = ? WHERE id = ?', [token, user.id]);
        return { user, token };
      }),

    /** Removes a person and, with `withVals`, their vals. */
    remove: (
      username: string,
      withVals: boolean,
    ): Promise<'removed' | 'absent' | 'has vals' | 'owns the store'> =>
      write(async (all) => {
        const user = await named(all, username, forUpdate);
        if (!user) return 'absent';
        if ((await ownerOf(all))?.user.id === user.id) return 'owns the store';
        if (withVals) await all('DELETE FROM vals WHERE owner_id = ?', [user.id]);
        const [val] = await all('SELECT id FROM vals WHERE owner_id = ? ORDER BY name LIMIT 1', [user.id]);
        if (val) return 'has vals';
        await all('DELETE FROM users WHERE id = ?', [user.id]);
        return 'removed';
      }),
  };
}
