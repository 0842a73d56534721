import type { Database, Tx } from '../database/database.ts';
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
import { ownerName, writeTokenFile } from './store-owner.ts';
import { now } from './timestamps.ts';
import { endTokens, insertToken, newSecret } from './tokens.ts';

/** `file` is that of an embedded store, whose owner has a token in the file beside it. */
export function createPeople(database: Database, file: string | undefined) {
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
    async renewToken(username: string): Promise<{ user: User; token: string } | undefined> {
      const given = await database.transaction({}, async (tx) => {
        const user = await ownerNamed(tx, username, 'person');
        if (!user) return undefined;
        // Two commands at a time wait here for each other.
        await tx.query(sql`SELECT id FROM users WHERE id = ${user.id} ${tx.forUpdate}`);
        await endTokens(tx, user);
        return giveToken(tx, user);
      });
      if (given && file !== undefined && username === ownerName) writeTokenFile(file, given.token);
      return given;
    },

    remove: (username: string, options: RemoveOptions) => removeOwner(database, username, 'person', options),
  };
}
