import type { Database, Reader } from '../database/database.ts';
import { sql } from '../database/sql.ts';
import type { Role, User } from './access.ts';
import { insertOwner, type ListedOwner, listOwners, ownerNamed } from './owners.ts';

interface Space extends ListedOwner {
  members: { username: string; role: Role }[];
}

/** Undefined if the name is taken. */
export const createSpace = (db: Database, name: string): Promise<User | undefined> =>
  db.transaction((tx) => insertOwner(tx, name, 'space'));

export async function allSpaces(db: Reader): Promise<Space[]> {
  const spaces = await listOwners(db, 'space');
  return Promise.all(
    spaces.map(async (space) => ({
      ...space,
      members: await db.query<Space['members'][number]>(sql`
        SELECT username, role FROM members JOIN users ON users.id = user_id
          WHERE space_id = ${space.id} ORDER BY username`),
    })),
  );
}

export const grant = (
  db: Database,
  name: string,
  username: string,
  role: Role,
): Promise<'granted' | 'no space' | 'no person'> =>
  db.transaction(async (tx) => {
    const found = await findBoth(tx, name, username);
    if (typeof found === 'string') return found;
    await tx.query(sql`
      INSERT INTO members (user_id, space_id, role) VALUES (${found.person.id}, ${found.space.id}, ${role})
        ON CONFLICT (user_id, space_id) DO UPDATE SET role = excluded.role`);
    return 'granted';
  });

/** The tokens that are limited to the space end with the membership: they refer to its row. */
export const revoke = (
  db: Database,
  name: string,
  username: string,
): Promise<'revoked' | 'no space' | 'no person' | 'not a member'> =>
  db.transaction(async (tx) => {
    const found = await findBoth(tx, name, username);
    if (typeof found === 'string') return found;
    const revoked = await tx.query(sql`
      DELETE FROM members WHERE user_id = ${found.person.id} AND space_id = ${found.space.id} RETURNING user_id`);
    return revoked.length > 0 ? 'revoked' : 'not a member';
  });

async function findBoth(db: Reader, name: string, username: string) {
  const space = await ownerNamed(db, name, 'space');
  if (!space) return 'no space';
  const person = await ownerNamed(db, username, 'person');
  return person ? { space, person } : 'no person';
}
