// Spaces: owners of vals that are no person. A space is a user without a token; its members act for it with theirs.
import { randomUUID } from 'node:crypto';
import type { All, Database } from './database/database.ts';
import { digestOf, type User } from './users.ts';

export type Role = 'read' | 'write';

/** Whom a request acts as: a person, or the space that this person works in. */
export interface Principal extends User {
  /** The person whose token it is. */
  actor: User;
  role: Role;
}

export interface Space extends User {
  /** How many it owns. */
  vals: number;
  members: Member[];
}

interface Member {
  username: string;
  role: Role;
}

/** A person, and the role that they have in one space; null where they have none, or there is no such space. */
type MemberRow = User & { spaceId: string | null; role: Role | null };

export const asPerson = ({ id, username }: User): Principal => ({
  id,
  username,
  actor: { id, username },
  role: 'write',
});

export function createSpaces({ all, write, forUpdate }: Database) {
  const named = async (all: All, name: string, lock = '') =>
    (
      await all<User>(`SELECT id, username FROM users WHERE username = ? AND token_digest IS NULL${lock}`, [
        name,
      ])
    )[0];

  const personNamed = async (all: All, username: string) =>
    (
      await all<User>('SELECT id, username FROM users WHERE username = ? AND token_digest IS NOT NULL', [
        username,
      ])
    )[0];

  /** Finds the person and their role in the space with one statement. */
  async function memberWhere(condition: string, value: string, space: string) {
    const [row] = await all<MemberRow>(
      `SELECT users.id, users.username, space.id AS "spaceId", role FROM users
        LEFT JOIN users AS space ON space.username = ?
        LEFT JOIN members ON members.user_id = users.id AND members.space_id = space.id
        WHERE ${condition}`,
      [space, value],
    );
    if (!row) return undefined;
    const { id, username, spaceId, role } = row;
    const actor = { id, username };
    return { actor, principal: spaceId && role ? { id: spaceId, username: space, actor, role } : undefined };
  }

  const listed = (condition: string) =>
    `SELECT users.id, username, (SELECT count(*) FROM vals WHERE owner_id = users.id) AS vals
      FROM users WHERE token_digest IS NULL ${condition}`;

  const withMembers = async (space: Omit<Space, 'members'>): Promise<Space> => ({
    ...space,
    members: await all<Member>(
      `SELECT username, role FROM members JOIN users ON users.id = user_id WHERE space_id = ? ORDER BY username`,
      [space.id],
    ),
  });

  return {
    /** Undefined where nobody has this token; without a principal where its person is not a member. */
    memberWithToken: (token: string, space: string) =>
      memberWhere('users.token_digest = ?', digestOf(token), space),

    memberWithId: (id: string, space: string) => memberWhere('users.id = ?', id, space),

    /** The spaces of a person. */
    of: ({ id }: User): Promise<(User & { role: Role })[]> =>
      all(
        `SELECT users.id, username, role FROM members JOIN users ON users.id = space_id
          WHERE user_id = ? ORDER BY username`,
        [id],
      ),

    async named(name: string): Promise<Space | undefined> {
      const [space] = await all<Omit<Space, 'members'>>(listed('AND username = ?'), [name]);
      return space && withMembers(space);
    },

    async list(): Promise<Space[]> {
      const spaces = await all<Omit<Space, 'members'>>(listed('ORDER BY username'));
      return Promise.all(spaces.map(withMembers));
    },

    /** Undefined where a person or a space has this name. */
    add: async (name: string): Promise<User | undefined> =>
      (
        await write((all) =>
          all<User>(
            `INSERT INTO users (id, username, created_at) VALUES (?, ?, ?)
              ON CONFLICT (username) DO NOTHING RETURNING id, username`,
            [randomUUID(), name, new Date().toISOString()],
          ),
        )
      )[0],

    /** Makes a person a member, or gives a member another role. */
    grant: (name: string, username: string, role: Role): Promise<'granted' | 'no space' | 'no person'> =>
      write(async (all) => {
        const space = await named(all, name);
        if (!space) return 'no space';
        const person = await personNamed(all, username);
        if (!person) return 'no person';
        await all(
          `INSERT INTO members (user_id, space_id, role) VALUES (?, ?, ?)
            ON CONFLICT (user_id, space_id) DO UPDATE SET role = excluded.role`,
          [person.id, space.id, role],
        );
        return 'granted';
      }),

    revoke: (
      name: string,
      username: string,
    ): Promise<'revoked' | 'no space' | 'no person' | 'not a member'> =>
      write(async (all) => {
        const space = await named(all, name);
        if (!space) return 'no space';
        const person = await personNamed(all, username);
        if (!person) return 'no person';
        const revoked = await all(
          'DELETE FROM members WHERE user_id = ? AND space_id = ? RETURNING user_id',
          [person.id, space.id],
        );
        return revoked.length > 0 ? 'revoked' : 'not a member';
      }),

    /** Its vals are deleted too where that is asked for. */
    remove: (name: string, withVals: boolean): Promise<'removed' | 'absent' | 'has vals'> =>
      write(async (all) => {
        const space = await named(all, name, forUpdate);
        if (!space) return 'absent';
        if (withVals) await all('DELETE FROM vals WHERE owner_id = ?', [space.id]);
        const [val] = await all('SELECT id FROM vals WHERE owner_id = ? ORDER BY name LIMIT 1', [space.id]);
        if (val) return 'has vals';
        await all('DELETE FROM users WHERE id = ?', [space.id]);
        return 'removed';
      }),
  };
}
