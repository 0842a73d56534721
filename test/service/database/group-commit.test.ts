import { join } from 'node:path';
import Libsql from 'libsql';
import { expect, onTestFinished, test } from 'vitest';
import { createGroupCommit } from '../../../src/service/database/group-commit.ts';
import { temporaryFolder } from '../../support/program.ts';

function openGroup(mostMs = Number.POSITIVE_INFINITY) {
  const file = join(temporaryFolder(), 'vals.db');
  const connection = new Libsql(file);
  connection.exec(`PRAGMA journal_mode = WAL; PRAGMA foreign_keys = ON;
    CREATE TABLE vals (name TEXT PRIMARY KEY, parent TEXT REFERENCES vals DEFERRABLE INITIALLY DEFERRED)`);
  onTestFinished(() => void connection.close());
  const commits = { count: 0 };
  const { write } = createGroupCommit(connection, {
    mostMs,
    begin: async () => void connection.exec('BEGIN IMMEDIATE'),
    after() {
      commits.count += 1;
    },
  });
  const add = (name: string, parent: string | null = null) =>
    void connection.prepare('INSERT INTO vals VALUES (?, ?)').run(name, parent);
  return {
    commits,
    write,
    add,
    insert: (name: string, parent?: string) => write(async () => add(name, parent)),
    names() {
      const other = new Libsql(file);
      const rows = other.prepare('SELECT name FROM vals ORDER BY name').all() as { name: string }[];
      other.close();
      return rows.map(({ name }) => name).join('');
    },
  };
}

const areDone = async (writes: Promise<unknown>[]) =>
  (await Promise.allSettled(writes)).map(({ status }) => status === 'fulfilled');

test('writes of one turn of the event loop share a commit, and one that fails half-way changes nothing', async () => {
  const { write, add, insert, commits, names } = openGroup();
  let seen = '';
  const first = insert('a').then(() => (seen = names()));
  const writes = [first, insert('b'), write(async () => [add('half'), add('a')]), insert('c')];
  expect(await areDone(writes)).toEqual([true, true, false, true]);
  expect({ ...commits, names: names(), seen }).toEqual({ count: 1, names: 'abc', seen: 'abc' });
});

test('if the shared commit fails, each write gets a commit of its own', async () => {
  const { insert, commits, names } = openGroup();
  expect(await areDone([insert('a'), insert('orphan', 'absent'), insert('b')])).toEqual([true, false, true]);
  expect({ ...commits, names: names() }).toEqual({ count: 2, names: 'ab' });
});

test('writes that take long get several commits, and other work is done in between', async () => {
  const { write, add, commits, names } = openGroup(5);
  let turns = 0;
  const count = () => {
    turns += 1;
    if (commits.count < 4) setImmediate(count);
  };
  setImmediate(count);
  const addSlowly = async (name: string) => {
    const end = performance.now() + 3;
    while (performance.now() < end);
    add(name);
  };
  await Promise.all([...'abcdefgh'].map((name) => write(() => addSlowly(name))));
  expect([commits.count, turns].every((found) => found >= 4)).toBe(true);
  expect(names()).toBe('abcdefgh');
});
