import { createHash } from 'node:crypto';
import { existsSync, mkdirSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import { execa, execaSync } from 'execa';
import { describe, expect, onTestFinished, test } from 'vitest';
import { raw, sql } from '../../../src/service/database/sql.ts';
import { backupStore } from '../../../src/service/start-service.ts';
import { isLong } from '../../support/cases.ts';
import {
  ends,
  environment,
  makeNamedPipe,
  program,
  run,
  runProcess,
  temporaryFolder,
} from '../../support/program.ts';
import { embeddedService, placeOf } from '../support/embedded-service.ts';
import { onServer } from '../support/postgres.ts';
import {
  behindProxy,
  browse,
  clientOf,
  newPlace,
  postgres,
  signedIn,
  storeOf,
  type TemporaryService,
  temporaryService,
  type Val,
} from '../support.ts';

const signal = new AbortController().signal;
const newFile = () => join(temporaryFolder(), 'store.db');
const copy = (from: string, to: string) => backupStore(from, placeOf(to), { signal });
/** The source is a file, on both databases. */
const serviceOnFile = (options = {}) => temporaryService({ at: newFile(), ...options });

/** Two people, a space, and some of everything. Returns their tokens. */
async function fill(service: TemporaryService): Promise<string[]> {
  const [ada, bob] = [await service.addPerson('ada'), await service.addPerson('bob')];
  await service.addSpace('acme', { ada: 'write', bob: 'read' });
  const { id } = await ada.createVal({ name: 'greet', code: '1\0é😀', readme: '# r', privacy: 'public' });
  await ada.ask('POST', `/v1/vals/${id}/versions`, { body: { code: '2' } });
  await ada.ask('POST', `/v1/vals/${id}/versions`, { body: { code: '3' } });
  await ada.ask('DELETE', `/v1/vals/${id}/versions/2`);
  const run = { version: 1, runStartAt: '2026-01-31T09:30:00Z', runEndAt: null, error: 'boom', logs: 'l\0' };
  await ada.ask('POST', `/v1/vals/${id}/runs`, { body: run });
  const code = `import 'http://localhost/v1/vals/${id}/module';`;
  await ada.ask('PUT', '/@acme/v1/vals', { body: { name: 'ours', code } });
  for (let i = 0; i < 60; i++) await bob.putVal('many', `${i}`);
  const made = await ada.ask('POST', '/@acme/v1/me/tokens', { body: { name: 'ci' } });
  return [ada.token, bob.token, (made.body as { token: string }).token];
}

/** Sessions and what is left of deleted vals are not copied. */
const notCopied = /^(sqlite_sequence|store_version|sessions|removed_vals)$/;

/** Each row and each index of a store, with its bytes as numbers, because the databases give them in different classes. */
async function contentOf(at: string) {
  const { db } = await storeOf({ at });
  const [listTables, listIndexes] =
    'file' in placeOf(at)
      ? [
          "SELECT name FROM sqlite_schema WHERE type = 'table'",
          "SELECT name, sql FROM sqlite_schema WHERE type = 'index' ORDER BY name",
        ]
      : [
          "SELECT tablename AS name FROM pg_tables WHERE schemaname = 'vals'",
          "SELECT indexname, indexdef FROM pg_indexes WHERE schemaname = 'vals' ORDER BY indexname",
        ];
  const rows: Record<string, string[]> = {};
  for (const { name } of await db.query<{ name: string }>(raw(listTables))) {
    if (notCopied.test(name)) continue;
    const found = await db.query<Record<string, unknown>>(sql`SELECT * FROM ${raw(name)}`);
    const plain = (_: string, value: unknown) =>
      value instanceof ArrayBuffer ? Buffer.from(value).toJSON() : value;
    rows[name] = found.map((row) => JSON.stringify(row, plain)).sort();
  }
  return { rows, indexes: await db.query(raw(listIndexes)) };
}

describe('a backup', () => {
  test('has everything that the store has, and its tokens work, but for the one of --local', async () => {
    const service = await serviceOnFile({ runs: [{}] });
    const tokens = await fill(service);
    await service.close();
    const before = await contentOf(service.at);
    const target = await newPlace();
    const counts = await copy(service.at, target);
    expect(counts).toEqual({
      ...{ people: 3, spaces: 1, tokens: 3, vals: 4, versions: 64 },
      ...{ runs: 2, references: 1 },
    });
    const isLocal = (row: string) => row.includes(createHash('sha256').update(service.token).digest('hex'));
    expect(before.rows.tokens?.filter(isLocal)).toHaveLength(1);
    const copied = { ...before.rows, tokens: before.rows.tokens?.filter((row) => !isLocal(row)) };
    expect((await contentOf(target)).rows).toEqual(copied);
    if (!postgres) {
      expect(statSync(target).mode & 0o777).toBe(0o600);
      expect(readdirSync(dirname(target)).filter((name) => !/-(wal|shm)$/.test(name))).toEqual(['store.db']);
    }
    const restored = await temporaryService({ at: target });
    const clients = tokens.map((token) => clientOf({ baseUrl: restored.baseUrl, token }));
    const statuses = await Promise.all(clients.map(({ statusOf }) => statusOf('GET', '/@acme/v1/me')));
    expect(statuses).toEqual([200, 200, 200]);
    expect(await restored.statusOf('GET', '/v1/me', { token: service.token })).toBe(401);
    const [ada] = clients;
    const later = (await ada?.putVal('later', 'c'))?.body as Val & { author: Val };
    expect(await ada?.idsFrom(`/v1/users/${later.author.id}/vals`)).toMatchObject([
      later.id,
      expect.any(String),
    ]);
  });

  test('is of one moment, while four writers write', async () => {
    const service = await serviceOnFile();
    let isDone = false;
    // A writer changes the second val only after the first, so a copy of one moment never has a second that is ahead.
    const writers = Array.from({ length: 4 }, async (_, who) => {
      for (let i = 1; !isDone; i++) {
        for (const name of [`a${who}`, `z${who}`]) await service.putVal(name, `${i}`);
      }
    });
    for (let round = 0; round < (isLong ? 8 : 1); round++) {
      const target = await newPlace();
      await copy(service.at, target);
      const { db } = await storeOf({ at: target });
      const vals = await db.query<{ name: string; version: number; code: ArrayBuffer }>(sql`
        SELECT name, version, code FROM vals JOIN versions USING (version) WHERE val_id = id`);
      const found = new Map(
        vals.map(({ name, version, code }) => [name, [version, Number(Buffer.from(code))]]),
      );
      for (let who = 0; who < 4; who++) {
        const [version = 0, code = 0] = found.get(`a${who}`) ?? [];
        const [second = 0] = found.get(`z${who}`) ?? [];
        expect(version).toBe(code);
        expect([version, version - 1]).toContain(second);
      }
    }
    isDone = true;
    await Promise.all(writers);
  });

  test('refuses a target that is not empty, and leaves it as it is', async () => {
    const service = await serviceOnFile();
    const file = newFile();
    writeFileSync(file, 'mine');
    await expect(copy(service.at, file)).rejects.toMatchObject({ exit: 5 });
    expect(readFileSync(file, 'utf8')).toBe('mine');
    const pipe = newFile();
    makeNamedPipe(pipe);
    await expect(copy(service.at, pipe)).rejects.toMatchObject({ exit: 5 });
    if (!postgres) return;
    const used = await newPlace();
    await onServer(used, 'CREATE TABLE mine (x TEXT)');
    await expect(copy(service.at, used)).rejects.toMatchObject({ exit: 5 });
    expect(await onServer(used, schemas)).toEqual([]);
  });

  test('that is interrupted or fails leaves nothing behind', async () => {
    const service = await serviceOnFile();
    await fill(service);
    const target = await newPlace();
    for (const stop of [1, 5]) {
      const abort = new AbortController();
      let reports = 0;
      const onProgress = () => {
        reports += 1;
        // A file is so small that its copy reports once.
        if (reports === stop || !postgres) abort.abort(new Error('stopped'));
      };
      const copying = backupStore(service.at, placeOf(target), {
        signal: abort.signal,
        onProgress,
      });
      await expect(copying).rejects.toThrow('stopped');
      if ('file' in placeOf(target)) expect(readdirSync(dirname(target))).toEqual([]);
      else expect(await onServer(target, schemas)).toEqual([]);
    }
    await copy(service.at, target);
  });

  test.skipIf(postgres)('that is killed leaves no file of its name', async () => {
    const service = await serviceOnFile();
    await service.putVal('a', 'a');
    const target = newFile();
    const env = { NODE_OPTIONS: `--require ${resolve('test/service/backup/killed-before-rename.cjs')}` };
    const child = execa(process.execPath, [program, 'backup', '--data', service.at, target], {
      env: environment(temporaryFolder(), env),
      extendEnv: false,
      reject: false,
    });
    expect((await child).signal).toBe('SIGKILL');
    expect(existsSync(target)).toBe(false);
    const folder = dirname(target);
    const [left = ''] = readdirSync(folder);
    expect(left).toMatch(/^store\.db\.\d+\.partial$/);
    expect(statSync(join(folder, left)).mode & 0o777).toBe(0o700);
    // One that a process is still making, and one that is not of this command.
    const kept = [`other.db.${process.ppid}.partial`, 'notes.1.partial'];
    for (const name of kept) mkdirSync(join(folder, name));
    writeFileSync(join(folder, 'notes.1.partial', 'mine.txt'), 'mine');
    await copy(service.at, target);
    expect(readdirSync(folder).sort()).toEqual([...kept, 'store.db'].sort());
  });
});

const schemas = "SELECT 1 FROM pg_namespace WHERE nspname = 'vals'";

test('a full disk is exit 10, and leaves nothing behind', async () => {
  const disk = temporaryFolder();
  const mounted = await execa('mount', ['-t', 'tmpfs', '-o', 'size=300k', 'tmpfs', disk], { reject: false });
  if (mounted.failed) return console.warn('No disk can be mounted here: the test of a full disk is skipped.');
  onTestFinished(() => void execaSync('umount', [disk]));
  const service = await serviceOnFile();
  for (let i = 0; i < 5; i++) await service.putVal(`large${i}`, `${i}`.repeat(100_000));
  // In a process of its own, because the disk can be unmounted only after the end of the process.
  expect(await runProcess(['backup', join(disk, 'copy.db'), '--data', service.at])).toMatchObject(
    ends(10, 'its disk is full'),
  );
  expect(readdirSync(disk)).toEqual([]);
});

test('the command prints the counts, and masks the password of its target', async () => {
  const service = await serviceOnFile();
  await service.putVal('a', 'a');
  const target = await newPlace();
  const args = ['backup', '--data', service.at, target];
  const { stdout, ...others } = await run([...args, '--json']);
  expect(others).toMatchObject({ exit: 0, ...(!postgres && { stderr: '' }) });
  const counts = expect.objectContaining({ people: 1, versions: 1 });
  expect(JSON.parse(stdout)).toEqual({ target: target.replace(/:\w+@/, ':***@'), counts });
  expect(await run(args)).toMatchObject({ exit: 5, stdout: '' });
});

test('who finds a backup, or a copy of the file, can sign in nowhere', async () => {
  const service = await serviceOnFile({ network: behindProxy });
  const cookie = await signedIn(service, service.token);
  const { body } = await service.ask('GET', '/v1/me/page-link');
  const { pathname, search, searchParams } = new URL((body as { url: string }).url);
  const link = pathname + search;
  const [, session = ''] = cookie.split('=');
  const secrets = [service.token, session, searchParams.get('key') ?? ''];
  const backup = newFile();
  await copy(service.at, backup);
  const found = [readFileSync(backup), ...rawBytesOf(service.at)];
  for (const secret of secrets) {
    expect(secret.length).toBeGreaterThan(40);
    for (const bytes of found) expect(bytes.includes(secret)).toBe(false);
  }
  const copied = await temporaryService({ at: backup, network: behindProxy });
  const visit = (to: TemporaryService, path: string, cookie = '') =>
    browse(to, path, { headers: { cookie } });
  expect((await visit(copied, '/', cookie)).text).toContain('Not signed in');
  expect((await visit(copied, link)).text).toContain('This link was used before');
  expect((await visit(service, '/', cookie)).text).toContain('Signed in as');
  expect((await visit(service, link)).status).toBe(303);

  const rows = await (await storeOf(service)).db.query<{ digest: string }>(
    sql`SELECT digest FROM tokens UNION ALL SELECT digest FROM sessions`,
  );
  expect(rows.length).toBeGreaterThan(1);
  for (const { digest } of rows) {
    expect(await service.statusOf('GET', '/v1/me', { token: digest })).toBe(401);
    const named = cookie.replace(/=.*/, `=${digest}`);
    expect((await visit(service, '/', named)).text).toContain('Not signed in');
    expect((await visit(service, `/sign-in?key=${digest}`)).status).toBe(200);
  }
});

const rawBytesOf = (file: string): Buffer[] => ['', '-wal'].map((suffix) => readFileSync(`${file}${suffix}`));

test('a service on PostgreSQL is not copied, and pg_dump is named', async () => {
  const env = { VALS_DATABASE: 'postgres://vals@127.0.0.1:1/none' };
  expect(await run(['backup', 'copy.db'], { env })).toMatchObject(ends(2, 'pg_dump'));
  const words = ['backup', 'copy.db', '--database', env.VALS_DATABASE];
  expect(await run(words)).toMatchObject(ends(2, 'pg_dump'));
});

test.skipIf(!postgres)('a store that is moved while it is in use is said to be in use', async () => {
  // All in processes of their own, because the driver keeps a file open that was closed in this one.
  const at = newFile();
  const service = await embeddedService({ at });
  const move = async () => runProcess(['backup', '--data', at, await newPlace()]);
  expect(await move()).toMatchObject(ends(0, 'is in use'));
  await service.end('SIGTERM');
  expect(await move()).toMatchObject({ exit: 0, stderr: '' });
});

test.skipIf(postgres)('serve and --local make a new token for a copy of an embedded store', async () => {
  const { at, token, createVal } = await temporaryService();
  await createVal({ name: 'mine', code: 'c' });
  const data = temporaryFolder();
  const target = join(data, 'vals.db');
  expect(await run(['backup', '--data', at, target])).toMatchObject({ exit: 0 });
  const env = { VALS_DATA_DIR: data };
  const me = await run(['me', '--local', '--json'], { env });
  expect(JSON.parse(me.stdout)).toMatchObject({ username: 'local', token: { name: 'first' } });
  const served = await temporaryService({ at: target });
  expect(served.token).toBe(readFileSync(`${target}.token`, 'utf8').trim());
  expect(await served.statusOf('GET', '/v1/me')).toBe(200);
  expect(await served.statusOf('GET', '/v1/me', { token })).toBe(401);
  await served.close();
  const { stdout } = await run(['ls', '--local', '--json'], { env });
  expect(JSON.parse(stdout)).toMatchObject([{ name: 'mine' }]);
});
