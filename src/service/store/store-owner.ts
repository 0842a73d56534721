import { chownSync, readFileSync, realpathSync, statSync } from 'node:fs';
import { replacePrivate } from '../../core/lib/plain-file.ts';
import { isMissing } from '../../core/lib/system.ts';
import type { Database, Reader, Tx } from '../database/database.ts';
import { sql } from '../database/sql.ts';
import { restrictMode } from '../database/store-file.ts';
import { firstTokenName, type User } from './access.ts';
import { insertOwner, ownerNamed } from './owners.ts';
import { now } from './timestamps.ts';
import { digestOf, insertToken, newSecret } from './tokens.ts';

/** The owner of an embedded store, with the token in the file beside the store: the store has its digest alone. */
export interface StoreOwner {
  user: User;
  token: string;
}

export const ownerName = 'local';

/**
 * When a token is made, if the file has none that is good. `new store`: if the store has no people; its owner is added.
 * `owner`: also if the owner is there. `command`: always; an absent owner is added.
 */
export type TokenFor = 'new store' | 'owner' | 'command';

export async function storeOwner(
  db: Database,
  file: string,
  tokenFor: TokenFor,
): Promise<StoreOwner | undefined> {
  const known = await knownOwner(db, file);
  // Another process may be opening the same store.
  return known ?? db.transaction(async (tx) => (await knownOwner(tx, file)) ?? makeToken(tx, file, tokenFor));
}

async function knownOwner(db: Reader, file: string): Promise<StoreOwner | undefined> {
  const token = readTokenFile(file);
  if (token === undefined) return undefined;
  const [user] = await db.query<User>(sql`
    SELECT users.id, username FROM tokens JOIN users ON users.id = user_id WHERE digest = ${digestOf(token)}`);
  return user && { user, token };
}

async function makeToken(tx: Tx, file: string, tokenFor: TokenFor): Promise<StoreOwner | undefined> {
  const [someone] = await tx.query(sql`SELECT id FROM users LIMIT 1`);
  if (someone && tokenFor === 'new store') return undefined;
  const owner = await ownerNamed(tx, ownerName, 'person');
  if (someone && !owner && tokenFor !== 'command') return undefined;
  const user = owner ?? (await insertOwner(tx, ownerName, 'person'));
  if (!user) return undefined;
  const at = now();
  const token = newSecret('vals_local_');
  const named = (name: string) => insertToken(tx, user, { name, secret: token, at });
  // The name may be that of a token whose file was removed. A copy of a store has none.
  if ((await named(firstTokenName)) === undefined) await named(`embedded ${at}`);
  writeTokenFile(file, token);
  return { user: { id: user.id, username: user.username }, token };
}

/** What a copy of the store must not contain: whoever has the file of the token could sign in to the copy. */
export function digestOfLocalToken(file: string): string | undefined {
  const token = readTokenFile(file);
  return token === undefined ? undefined : digestOf(token);
}

const tokenFileOf = (file: string): string => `${realpathSync(file)}.token`;

function readTokenFile(file: string): string | undefined {
  const path = tokenFileOf(file);
  try {
    const token = readFileSync(path, 'utf8').trim();
    restrictMode(path);
    return token;
  } catch (error) {
    if (isMissing(error)) return undefined;
    throw error;
  }
}

export function writeTokenFile(file: string, token: string): void {
  const path = tokenFileOf(file);
  replacePrivate(path, `${token}\n`);
  if (process.geteuid?.() !== 0) return;
  const { uid, gid } = statSync(file);
  chownSync(path, uid, gid);
}
