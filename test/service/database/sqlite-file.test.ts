import { chmodSync, existsSync, readFileSync, renameSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { execa } from 'execa';
import Libsql from 'libsql';
import { expect, onTestFinished, test } from 'vitest';
import { sql } from '../../../src/service/database/sql.ts';
import { openSqlite } from '../../../src/service/database/sqlite.ts';
import { startService } from '../../../src/service/start-service.ts';
import { environment, program, temporaryFolder } from '../../support/program.ts';
import { temporaryService } from '../support.ts';

const modeOf = (path: string) => statSync(path).mode & 0o777;

test('the file of a store is private to the owner, and so is its folder, whatever the umask', async () => {
  const folder = join(temporaryFolder(), 'deep', 'er');
  const before = process.umask(0);
  try {
    const service = await temporaryService({ at: join(folder, 'store.db') });
    await service.putVal('v', 'c');
    expect(modeOf(folder)).toBe(0o700);
    for (const suffix of ['', '-wal', '-shm']) expect(modeOf(`${service.at}${suffix}`)).toBe(0o600);
  } finally {
    process.umask(before);
  }
});

test('the file of a store contains all data after the service has ended, and is made private if other users could read it', async () => {
  const service = await temporaryService();
  await service.putVal('v', 'c');
  await service.close();
  const log = `${service.at}-wal`;
  expect(existsSync(log) ? statSync(log).size : 0).toBe(0);
  chmodSync(service.at, 0o644);
  await temporaryService({ at: service.at });
  expect(modeOf(service.at)).toBe(0o600);
});

test.each<[string, RegExp, (file: string) => void]>([
  [
    'not a database',
    /store\.db could not be used: it is not a SQLite database\.$/,
    (file) => writeFileSync(file, 'These are my notes. '.repeat(100)),
  ],
  ['a text of one byte', /store\.db is not a SQLite database\.$/, (file) => writeFileSync(file, 'x')],
  [
    "another program's",
    /store\.db belongs to another program\.$/,
    (file) => new Libsql(file).exec('CREATE TABLE theirs (a)'),
  ],
])('a file is refused as a store when it is %s, and stays as it is', async (_, message, make) => {
  const file = join(temporaryFolder(), 'store.db');
  make(file);
  const before = readFileSync(file);
  const failure = { exit: 10, message: expect.stringMatching(message), facts: { hint: expect.any(String) } };
  await expect(startService({ file, port: 0 })).rejects.toMatchObject(failure);
  expect(readFileSync(file)).toEqual(before);
});

test('a store that the system does not let us open says so in the words of the system', async () => {
  const folder = temporaryFolder();
  const file = join(folder, 'vals.db');
  await (await openSqlite(file)).close();
  // Root may open everything. Another user may not be able to read this program.
  const asUser = process.getuid?.() === 0 ? { uid: 65_534, gid: 65_534 } : {};
  const options = { ...asUser, cwd: '/', env: environment(folder), extendEnv: false, reject: false };
  if ((await execa(process.execPath, [program, '--version'], options)).failed) return;
  const list = () => execa(process.execPath, [program, 'user', 'ls', '--data', file], options);
  chmodSync(file, 0o000);
  chmodSync(folder, 0o755);
  const denied = await list();
  expect(denied.stderr).toContain(
    `The store ${file} could not be used: EACCES: permission denied, for ${file}`,
  );
  expect(denied.exitCode).toBe(10);
  chmodSync(file, 0o666);
  chmodSync(folder, 0o555);
  expect((await list()).stderr).toContain(`EACCES: permission denied, for ${folder}`);
  chmodSync(folder, 0o755);
});

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

test('while a log that a reader has kept is written back, everything else goes on', async () => {
  const file = join(temporaryFolder(), 'store.db');
  const database = await openSqlite(file);
  const reader = new Libsql(file);
  onTestFinished(() => void reader.close());
  const code = Buffer.alloc(5_000_000);
  const write = (name: string) =>
    database.transaction(({ query }) =>
      query(sql`
        INSERT INTO versions (val_id, version, author_id, author_name, code_hash, created_at, code)
          VALUES (${name}, 1, '', '', '', '', ${code})`),
    );
  /** How many turns of the event loop there are meanwhile. */
  async function turnsOf(round: number): Promise<number> {
    reader.exec('BEGIN');
    reader.prepare('SELECT count(*) FROM vals').all();
    for (let i = 0; i < 12; i++) await write(`${round} ${i}`);
    reader.exec('COMMIT');
    await write(`${round} begins to write it back`);
    let turns = 0;
    let isOver = false;
    const next = write(`${round} waits for that`);
    next.finally(() => {
      isOver = true;
    });
    for (; !isOver; turns += 1) await new Promise(setImmediate);
    return turns;
  }
  // On a busy machine this process may get no turn while the driver's thread works.
  let turns = 0;
  for (let round = 0; round < 10 && turns <= 50; round += 1) turns = await turnsOf(round);
  expect(turns).toBeGreaterThan(50);
  expect(statSync(`${file}-wal`).size).toBeLessThan(30_000_000);
  await database.close();
});

test('a read during a write that fails does not see what the write began', async () => {
  const database = await openSqlite(join(temporaryFolder(), 'store.db'));
  let reading: Promise<unknown> | undefined;
  const writing = database.transaction(async (tx) => {
    await tx.query(sql`INSERT INTO users (id, username, kind, created_at) VALUES ('u', 'u', 'person', '')`);
    reading = database.query(sql`SELECT id FROM users`);
    throw new Error('undone');
  });
  await expect(writing).rejects.toThrow('undone');
  expect(await reading).toEqual([]);
  await database.close();
});

async function otherStore(): Promise<string> {
  const { at: file, close } = await temporaryService();
  await close();
  return file;
}

test.each<[string, (file: string) => unknown]>([
  ['removed with its folder', (file) => rmSync(dirname(file), { recursive: true })],
  ['replaced', async (file) => renameSync(await otherStore(), file)],
  ['without its log', (file) => rmSync(`${file}-wal`)],
])('a store that is %s gives 503, and the failure is reported', async (_, take) => {
  const file = join(temporaryFolder(), 'data', 'store.db');
  const failures: string[] = [];
  const service = await temporaryService({
    at: file,
    onEvent(event) {
      if (event.kind === 'store failed') failures.push(event.error.message);
    },
  });
  const val = await service.createVal({ name: 'v', code: 'c' });
  await take(file);
  const put = await service.putVal('v', 'lost');
  expect(put).toMatchObject({ status: 503, headers: { 'retry-after': '60' }, body: { status: 503 } });
  expect(put.text).not.toContain(file);
  expect(await service.statusOf('DELETE', `/v1/vals/${val.id}`)).toBe(503);
  expect(await service.statusOf('GET', '/healthz')).toBe(503);
  const gone = `The store ${file} could not be used: its files were removed or replaced while it was open.`;
  expect(failures).toEqual([gone]);
});

test('a write that was acknowledged before the log was removed is not lost', async () => {
  const service = await temporaryService();
  const val = await service.createVal({ name: 'v', code: 'kept' });
  for (const suffix of ['-wal', '-shm']) rmSync(`${service.at}${suffix}`);
  expect((await service.putVal('v', 'lost')).status).toBe(503);
  await service.close();
  const again = await temporaryService({ at: service.at });
  expect(await again.get(`/v1/vals/${val.id}`)).toMatchObject({ code: 'kept' });
});

test('the log of a replaced store is not applied to the new store', async () => {
  const other = await temporaryService();
  const theirs = await other.createVal({ name: 'theirs', code: 'c' });
  await other.close();
  const service = await temporaryService();
  const mine = await service.createVal({ name: 'mine', code: 'c'.repeat(50_000) });
  renameSync(other.at, service.at);
  expect(await service.statusOf('DELETE', `/v1/vals/${mine.id}`)).toBe(503);
  await service.close();
  const again = await temporaryService({ at: service.at });
  expect(await again.get(`/v1/vals/${theirs.id}`)).toMatchObject({ code: theirs.code });
});
