import type { ValsError } from '../../core/errors.ts';
import type { Database, StoreLocation } from '../database/database.ts';
import { openDatabase, reportOutages } from '../database/open-database.ts';
import { type StoreOwner, storeOwner, type TokenFor } from './store-owner.ts';
import { createLastUse, type LastUse, withoutNotes } from './tokens.ts';

export interface StoreOptions {
  /** Nobody notes the use of tokens for one command. */
  tokenFor?: TokenFor;
  onEvent?(event: StoreEvent): void;
}

/** Each failure is told when it begins, and when the database can be used again. */
export type StoreEvent = { kind: 'store failed'; error: ValsError } | { kind: 'store recovered' };

/** An open store. What is done with its vals is in the files of the nouns, which take `db`. */
export interface Store {
  db: Database;
  /** Of an embedded store. */
  file: string | undefined;
  owner: StoreOwner | undefined;
  lastUse: LastUse;
  close(): Promise<void>;
}

export async function openStore(place: StoreLocation, options: StoreOptions = {}): Promise<Store> {
  const { tokenFor = 'new store', onEvent } = options;
  const file = 'file' in place ? place.file : undefined;
  const opened = await openDatabase(place);
  const db = reportOutages(opened, {
    onFailure: (error) => onEvent?.({ kind: 'store failed', error: opened.explain(error) }),
    onRecovery: () => onEvent?.({ kind: 'store recovered' }),
  });
  const owner = await readOwner(db, file, tokenFor);
  const lastUse = tokenFor === 'command' ? withoutNotes : createLastUse(db);
  return {
    db,
    file,
    owner,
    lastUse,
    async close() {
      await lastUse.written();
      await db.close();
    },
  };
}

async function readOwner(db: Database, file: string | undefined, tokenFor: TokenFor) {
  try {
    return file === undefined ? undefined : await storeOwner(db, file, tokenFor);
  } catch (error) {
    await db.close();
    throw db.explain(error);
  }
}
