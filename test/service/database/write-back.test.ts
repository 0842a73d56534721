import { copyFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import Libsql from 'libsql';
import { expect, onTestFinished, test } from 'vitest';
import { sql } from '../../../src/service/database/sql.ts';
import { openSqlite } from '../../../src/service/database/sqlite.ts';
import { temporaryFolder } from '../../support/program.ts';
import { temporaryService } from '../support.ts';

test('writes do not wait for a reader, and the log shrinks after the reader has ended', async () => {
  const service = await temporaryService();
  const logBytes = () => statSync(`${service.at}-wal`).size;
  const push = async (text: string) =>
    (await service.putVal('large', text + '\u20ac'.repeat(250_000))).status;
  await push('first');
  const reader = new Libsql(service.at);
  onTestFinished(() => void reader.close());
  reader.exec('BEGIN');
  reader.prepare('SELECT count(*) FROM vals').all();
  // The log cannot be written back. A write that waited for the reader would be refused after ten seconds.
  for (let i = 0; i < 30; i++) expect(await push(`${i}`)).toBe(200);
  expect(logBytes()).toBeGreaterThan(15_000_000);
  reader.exec('COMMIT');
  const later = async () => {
    await push(`${performance.now()}`);
    return logBytes();
  };
  await expect.poll(later).toBeLessThan(1_000_000);
});

test.each([
  ['idle', { idleMs: 50, mostMs: 1e9 }],
  ['written to for long', { idleMs: 1e9, mostMs: 0 }],
])('a store that is %s is written back to its one file, while it is open', async (_, times) => {
  const file = join(temporaryFolder(), 'store.db');
  const database = await openSqlite(file, times);
  for (const id of ['a', 'b']) {
    await database.transaction((tx) =>
      tx.query(sql`INSERT INTO users (id, username, kind, created_at) VALUES (${id}, ${id}, 'person', '')`),
    );
  }
  await expect.poll(() => statSync(`${file}-wal`).size).toBe(0);
  const copy = join(temporaryFolder(), 'copy.db');
  copyFileSync(file, copy);
  const copied = new Libsql(copy);
  onTestFinished(() => void copied.close());
  expect(copied.prepare('SELECT id FROM users').all()).toHaveLength(2);
  await database.close();
});
