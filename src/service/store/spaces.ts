import { randomUUID } from 'node:crypto';
import type { All, Database } from '../database/database.ts';
import { removeOwner } from './deletion.ts';
import { digestOf, findUser, isPerson, type User } from './users.ts';

export type Role = 'read' | 'write';

export interface Principal extends User {
  actor: User;
  role: Role;
}

export interface Space extends User {
  vals: number;
  members: Member[];
}

interface Member {
  username: string;
  role: Role;
}

type MemberRow = User & { spaceId: string | null; role: Role | null };

const isSpace = 'token_digest IS NULL';

export const asPerson = ({ id, username }: User): Principal => ({
  id,
  username,
  actor: { id, username },
  role: 'write',
});

export function createSpaces(database: Database) {
  const { all, write } = database;
  async function findBoth(all: All, name: string, username: string) {
    const space = await findUser(all, name, isSpace);
    if (!space) return 'no space';
    const person = await findUser(all, username, isPerson);
    return person ? { space, person } : 'no person';
  }

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
      FROM users WHERE ${isSpace} ${condition}`;

  const withMembers = async (space: Omit<Space, 'members'>): Promise<Space> => ({
    ...space,
    members: await all<Member>(
      `SELECT username, role FROM members JOIN users ON users.id = user_id WHERE space_id = ? ORDER BY username`,
      [space.id],
    ),
  });

  return {
    memberWithToken: (token: string, space: string) =>
      memberWhere('users.token_digest = ?', digestOf(token), space),

    memberWithId: (id: string, space: string) => memberWhere('users.id = ?', id, space),

    withMember: ({ id }: User): Promise<(User & { role: Role })[]> =>
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

    async add(name: string): Promise<User | undefined> {
      const [space] = await write((all) =>
        all<User>(
          `INSERT INTO users (id, username, created_at) VALUES (?, ?, ?)
            ON CONFLICT (username) DO NOTHING RETURNING id, username`,
          [randomUUID(), name, new Date().toISOString()],
        ),
      );
      return space;
    },

    grant: (name: string, username: string, role: Role): Promise<'granted' | 'no space' | 'no person'> =>
      write(async (all) => {
        const found = await findBoth(all, name, username);
        if (typeof found === 'string') return found;
        await all(
          `INSERT INTO members (user_id, space_id, role) VALUES (?, ?, ?)
            ON CONFLICT (user_id, space_id) DO UPDATE SET role = excluded.role`,
          [found.person.id, found.space.id, role],
        );
        return 'granted';
      }),

    revoke: (
      name: string,
      username: string,
    ): Promise<'revoked' | 'no space' | 'no person' | 'not a member'> =>
      write(async (all) => {
        const found = await findBoth(all, name, username);
        if (typeof found === 'string') return found;
        const revoked = await all(
          'DELETE FROM members WHERE user_id = ? AND space_id = ? RETURNING user_id',
          [found.person.id, found.space.id],
        );
        return revoked.length > 0 ? 'revoked' : 'not a member';
      }),

    /** With an id, leaves a new space of the same name alone. */
    remove: (name: string, withVals: boolean, id?: string): Promise<'removed' | 'absent' | 'has vals'> =>
      removeOwner<'absent'>(
        database,
        {
          async find(all) {
            const space = await findUser(all, name, isSpace);
            return space && space.id === (id ?? space.id) ? space : 'absent';
          },
          endAccess: (all, { id }) => all('DELETE FROM members WHERE space_id = ?', [id]),
        },
        withVals,
      ),
  };
}
