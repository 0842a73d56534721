import type { ValsError } from '../../core/errors.ts';
import type { Database, StoreLocation } from '../database/database.ts';
import { openDatabase } from '../database/open-database.ts';
import { reportOutages } from '../database/outages.ts';
import { currentSchema } from '../database/schema.ts';
import { createLastUse, type LastUse, withoutNotes } from './last-use.ts';
import { createPeople, makeStoreOwner, type StoreOwner, storeOwner } from './people.ts';
import { createSessionKey, type SessionKey } from './session-key.ts';
import { createSpaces } from './spaces.ts';

export interface StoreOptions {
  /** For `--local`: a copy of a store, which has people, but no owner, gets one, and nobody notes the use of tokens. */
  endsWithCommand?: boolean | undefined;
  onEvent?(event: StoreEvent): void;
}

/** Each failure is told when it begins, and when the database can be used again. */
export type StoreEvent =
  | { kind: 'upgraded'; message: string }
  | { kind: 'store failed'; error: ValsError }
  | { kind: 'store recovered' };

/** An open store. What is done with its vals is in the files of the nouns, which take `db`. */
export interface Store {
  db: Database;
  owner: StoreOwner | undefined;
  lastUse: LastUse;
  sessionKey: SessionKey;
  people: ReturnType<typeof createPeople>;
  spaces: ReturnType<typeof createSpaces>;
  explain: Database['explain'];
  close(): Promise<void>;
}

export async function openStore(place: StoreLocation, options: StoreOptions = {}): Promise<Store> {
  const { endsWithCommand = false, onEvent } = options;
  const opened = await openDatabase(place);
  const db = reportOutages(opened, {
    onFailure: (error) => onEvent?.({ kind: 'store failed', error: opened.explain(error) }),
    onRecovery: () => onEvent?.({ kind: 'store recovered' }),
  });
  const owner = await readOwner(db, place, endsWithCommand);
  if (db.upgradedFrom !== undefined) {
    onEvent?.({ kind: 'upgraded', message: describeUpgrade(db.upgradedFrom) });
  }
  const lastUse = endsWithCommand ? withoutNotes : createLastUse(db);
  return {
    db,
    owner,
    lastUse,
    sessionKey: createSessionKey(db),
    people: createPeople(db),
    spaces: createSpaces(db),
    explain: db.explain,
    async close() {
      await lastUse.written();
      await db.close();
    },
  };
}

function describeUpgrade(from: number): string {
  const schemas = `from schema ${from} to schema ${currentSchema}`;
  return `Brought the store up to date, ${schemas}. Older versions of vals can no longer open it.`;
}

async function readOwner(db: Database, place: StoreLocation, needsOwner: boolean) {
  try {
    const owner = await storeOwner(db);
    return owner ?? ('file' in place ? await makeStoreOwner(db, { evenIfOthers: needsOwner }) : undefined);
  } catch (error) {
    await db.close();
    throw db.explain(error);
  }
}
