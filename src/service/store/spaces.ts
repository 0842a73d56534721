import type { Database, Reader, Tx } from '../database/database.ts';
import { sql } from '../database/sql.ts';
import type { Role, User } from './access.ts';
import {
  insertOwner,
  type ListedOwner,
  listOwners,
  ownerNamed,
  type RemoveOptions,
  removeOwner,
} from './owners.ts';

interface Space extends ListedOwner {
  members: Member[];
}

interface Member {
  username: string;
  role: Role;
}

export function createSpaces(database: Database) {
  const withMembers = async (space: ListedOwner): Promise<Space> => ({
    ...space,
    members: await database.query<Member>(sql`
      SELECT username, role FROM members JOIN users ON users.id = user_id
        WHERE space_id = ${space.id} ORDER BY username`),
  });

  return {
    async named(name: string): Promise<Space | undefined> {
      const space = await ownerNamed(database, name, 'space');
      return space && withMembers(space);
    },

    async list(): Promise<Space[]> {
      return Promise.all((await listOwners(database, 'space')).map(withMembers));
    },

    add: (name: string): Promise<User | undefined> =>
      database.transaction({}, (tx) => insertOwner(tx, name, 'space')),

    grant: (name: string, username: string, role: Role): Promise<'granted' | 'no space' | 'no person'> =>
      database.transaction({}, (tx) => grant(tx, name, username, role)),

    revoke: (
      name: string,
      username: string,
    ): Promise<'revoked' | 'no space' | 'no person' | 'not a member'> =>
      database.transaction({}, (tx) => revoke(tx, name, username)),

    remove: (name: string, options: RemoveOptions) => removeOwner(database, name, 'space', options),
  };
}

async function grant(tx: Tx, name: string, username: string, role: Role) {
  const found = await findBoth(tx, name, username);
  if (typeof found === 'string') return found;
  await tx.query(sql`
    INSERT INTO members (user_id, space_id, role) VALUES (${found.person.id}, ${found.space.id}, ${role})
      ON CONFLICT (user_id, space_id) DO UPDATE SET role = excluded.role`);
  return 'granted';
}

/** The tokens that are limited to the space end with the membership: they refer to its row. */
async function revoke(tx: Tx, name: string, username: string) {
  const found = await findBoth(tx, name, username);
  if (typeof found === 'string') return found;
  const revoked = await tx.query(sql`
    DELETE FROM members WHERE user_id = ${found.person.id} AND space_id = ${found.space.id} RETURNING user_id`);
  return revoked.length > 0 ? 'revoked' : 'not a member';
}

async function findBoth(db: Reader, name: string, username: string) {
  const space = await ownerNamed(db, name, 'space');
  if (!space) return 'no space';
  const person = await ownerNamed(db, username, 'person');
  return person ? { space, person } : 'no person';
}
