import { randomUUID } from 'node:crypto';
import type { Database, Reader, Tx } from '../database/database.ts';
import type { Role, User } from './caller.ts';
import { ownerNamed, removeOwner } from './owners.ts';
import { now } from './timestamps.ts';

export interface Space extends User {
  vals: number;
  members: Member[];
}

interface Member {
  username: string;
  role: Role;
}

export function createSpaces(database: Database) {
  const listed = (condition: string) =>
    `SELECT users.id, username, (SELECT count(*) FROM vals WHERE owner_id = users.id) AS vals
      FROM users WHERE kind = 'space' ${condition}`;

  const withMembers = async (space: Omit<Space, 'members'>): Promise<Space> => ({
    ...space,
    members: await database.query<Member>(
      `SELECT username, role FROM members JOIN users ON users.id = user_id WHERE space_id = ? ORDER BY username`,
      [space.id],
    ),
  });

  return {
    withMember: ({ id }: User): Promise<(User & { role: Role })[]> =>
      database.query(
        `SELECT users.id, username, role FROM members JOIN users ON users.id = space_id
          WHERE user_id = ? ORDER BY username`,
        [id],
      ),

    async named(name: string): Promise<Space | undefined> {
      const [space] = await database.query<Omit<Space, 'members'>>(listed('AND username = ?'), [name]);
      return space && withMembers(space);
    },

    async list(): Promise<Space[]> {
      const spaces = await database.query<Omit<Space, 'members'>>(listed('ORDER BY username'));
      return Promise.all(spaces.map(withMembers));
    },

    async add(name: string): Promise<User | undefined> {
      const [space] = await database.transaction({}, (tx) =>
        tx.query<User>(
          `INSERT INTO users (id, username, kind, created_at) VALUES (?, ?, 'space', ?)
            ON CONFLICT (username) DO NOTHING RETURNING id, username`,
          [randomUUID(), name, now()],
        ),
      );
      return space;
    },

    grant: (name: string, username: string, role: Role): Promise<'granted' | 'no space' | 'no person'> =>
      database.transaction({}, (tx) => grant(tx, name, username, role)),

    revoke: (
      name: string,
      username: string,
    ): Promise<'revoked' | 'no space' | 'no person' | 'not a member'> =>
      database.transaction({}, (tx) => revoke(tx, name, username)),

    /** With an id, leaves a new space of the same name alone. */
    remove: (
      name: string,
      { withVals, id }: { withVals: boolean; id?: string },
    ): Promise<'removed' | 'absent' | 'has vals'> =>
      removeOwner<'absent'>(
        database,
        {
          async find(tx) {
            const space = await ownerNamed(tx, name, 'space');
            return space && space.id === (id ?? space.id) ? space : 'absent';
          },
          endAccess: (tx, { id }) => tx.query('DELETE FROM members WHERE space_id = ?', [id]),
        },
        { withVals },
      ),
  };
}

async function grant(tx: Tx, name: string, username: string, role: Role) {
  const found = await findBoth(tx, name, username);
  if (typeof found === 'string') return found;
  await tx.query(
    `INSERT INTO members (user_id, space_id, role) VALUES (?, ?, ?)
      ON CONFLICT (user_id, space_id) DO UPDATE SET role = excluded.role`,
    [found.person.id, found.space.id, role],
  );
  return 'granted';
}

/** The tokens that are limited to the space end with the membership: they refer to its row. */
async function revoke(tx: Tx, name: string, username: string) {
  const found = await findBoth(tx, name, username);
  if (typeof found === 'string') return found;
  const revoked = await tx.query('DELETE FROM members WHERE user_id = ? AND space_id = ? RETURNING user_id', [
    found.person.id,
    found.space.id,
  ]);
  return revoked.length > 0 ? 'revoked' : 'not a member';
}

async function findBoth(db: Reader, name: string, username: string) {
  const space = await ownerNamed(db, name, 'space');
  if (!space) return 'no space';
  const person = await ownerNamed(db, username, 'person');
  return person ? { space, person } : 'no person';
}
