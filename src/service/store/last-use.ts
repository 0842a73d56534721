import type { Database } from '../database/database.ts';
import { sql } from '../database/sql.ts';
import { now } from './timestamps.ts';

export interface LastUse {
  note(token: { tokenId: string; lastUsedAt: string | null }): void;
  /** Resolves when all that was noted is written. */
  written(): Promise<unknown>;
}

/** For a service that runs inside of one command. */
export const withoutNotes: LastUse = { note() {}, written: async () => {} };

/** Notes when tokens were last used, to the minute but not before they were made, with at most one write a minute for each token. */
export function createLastUse(db: Database): LastUse {
  const noted = new Map<string, string>();
  let writing: Promise<unknown> = Promise.resolve();
  return {
    note({ tokenId, lastUsedAt }) {
      const minute = `${now().slice(0, 16)}:00.000Z`;
      if ((lastUsedAt ?? '') >= minute || noted.get(tokenId) === minute) return;
      noted.set(tokenId, minute);
      const write = db.transaction((tx) =>
        tx.query(sql`
          UPDATE tokens SET last_used_at = CASE WHEN created_at > ${minute} THEN created_at ELSE ${minute} END
            WHERE id = ${tokenId}`),
      );
      // Nobody waits for this write, and a database that cannot take it now gets the next one.
      writing = Promise.all([writing, write.catch(() => noted.delete(tokenId))]);
    },
    written: () => writing,
  };
}
