import { join } from 'node:path';
import { setImmediate as nextTurn } from 'node:timers/promises';
import Libsql from 'libsql';
import { expect, onTestFinished, test } from 'vitest';
import { createGroupCommit } from '../../../src/service/database/group-commit.ts';
import { temporaryFolder } from '../../support/program.ts';

function openGroup({ mostMs = Number.POSITIVE_INFINITY, after = () => {} } = {}) {
  const file = join(temporaryFolder(), 'vals.db');
  const connection = new Libsql(file);
  connection.exec(`PRAGMA journal_mode = WAL; PRAGMA foreign_keys = ON;
    CREATE TABLE vals (name TEXT PRIMARY KEY, parent TEXT REFERENCES vals DEFERRABLE INITIALLY DEFERRED)`);
  onTestFinished(() => void connection.close());
  let commits = 0;
  const { write } = createGroupCommit(connection, {
    mostMs,
    begin: async () => void connection.exec('BEGIN IMMEDIATE'),
    after() {
      commits += 1;
      after();
    },
  });
  const add = (name: string, parent: string | null = null) =>
    void connection.prepare('INSERT INTO vals VALUES (?, ?)').run(name, parent);
  return {
    insert: (name: string, parent?: string) => write(async () => add(name, parent)),
    insertSlowly: (name: string) =>
      write(async () => {
        const end = performance.now() + 3;
        while (performance.now() < end);
        add(name);
      }),
    insertLate: (name: string) =>
      write(async () => {
        for (let turn = 0; turn < 3; turn++) await nextTurn();
        add(name);
      }),
    insertAll: (...names: string[]) => write(async () => names.forEach((name) => void add(name))),
    commits: () => commits,
    names() {
      const other = new Libsql(file);
      const rows = other.prepare('SELECT name FROM vals ORDER BY name').all() as { name: string }[];
      other.close();
      return rows.map(({ name }) => name);
    },
  };
}

const statuses = async (writes: Promise<unknown>[]) =>
  (await Promise.allSettled(writes)).map(({ status }) => status === 'fulfilled');

test('writes of one turn of the event loop share a commit, and a failed write undoes no other write', async () => {
  const { insert, commits, names } = openGroup();
  const seen: string[][] = [];
  const first = insert('a').then(() => seen.push(names()));
  expect(await statuses([first, insert('b'), insert('a'), insert('c')])).toEqual([true, true, false, true]);
  expect([commits(), names()]).toEqual([1, ['a', 'b', 'c']]);
  expect(seen).toEqual([['a', 'b', 'c']]);
});

test('a write that comes during a commit waits for its end', async () => {
  const { insert, insertLate, names } = openGroup();
  const late = insertLate('a');
  await nextTurn();
  expect(await statuses([late, insert('b')])).toEqual([true, true]);
  expect(names()).toEqual(['a', 'b']);
});

test('a write that fails half-way changes nothing', async () => {
  const { insert, insertAll, names } = openGroup();
  expect(await statuses([insert('a'), insertAll('half', 'a'), insert('b')])).toEqual([true, false, true]);
  expect(names()).toEqual(['a', 'b']);
});

test('if the shared commit fails, each write gets a commit of its own', async () => {
  const { insert, commits, names } = openGroup();
  expect(await statuses([insert('a'), insert('orphan', 'absent'), insert('b')])).toEqual([true, false, true]);
  expect([commits(), names()]).toEqual([2, ['a', 'b']]);
});

test('writes that take long get several commits, and other work is done in between', async () => {
  const { insertSlowly, commits, names } = openGroup({ mostMs: 5 });
  const all = ['a', 'b', 'c', 'd', 'e', 'f', 'g', 'h'];
  let turns = 0;
  const count = () => {
    turns += 1;
    if (commits() < 4) setImmediate(count);
  };
  setImmediate(count);
  await Promise.all(all.map(insertSlowly));
  expect([commits(), turns].every((found) => found >= 4)).toBe(true);
  expect(names()).toEqual(all);
});
