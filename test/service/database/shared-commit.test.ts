import { join } from 'node:path';
import Libsql from 'libsql';
import { expect, onTestFinished, test, vi } from 'vitest';
import { sql } from '../../../src/service/database/sql.ts';
import { openSqlite } from '../../../src/service/database/sqlite.ts';
import { temporaryFolder } from '../../support/program.ts';

test('writes of one turn of the event loop share a commit, and one that fails half-way changes nothing', async () => {
  // A commit that takes long is shared with no more writes, and on a busy machine each takes long.
  vi.spyOn(performance, 'now').mockReturnValue(0);
  onTestFinished(() => void vi.restoreAllMocks());
  const file = join(temporaryFolder(), 'store.db');
  const database = await openSqlite(file);
  const namesIn = (path: string) => {
    const other = new Libsql(path);
    const rows = other.prepare('SELECT username AS name FROM users ORDER BY username').all();
    other.close();
    return (rows as { name: string }[]).map(({ name }) => name).join('');
  };
  let seen = '';
  const insert = (...names: string[]) =>
    database.transaction(async ({ query }) => {
      for (const name of names) {
        await query(
          sql`INSERT INTO users (id, username, kind, created_at) VALUES (${name}, ${name}, 'person', '')`,
        );
      }
    });
  const first = insert('a').then(() => (seen = namesIn(file)));
  const ended = await Promise.allSettled([first, insert('b'), insert('h', 'a'), insert('c')]);
  expect(ended.map(({ status }) => status === 'fulfilled')).toEqual([true, true, false, true]);
  expect({ names: namesIn(file), seen }).toEqual({ names: 'abc', seen: 'abc' });
  await database.close();
});
