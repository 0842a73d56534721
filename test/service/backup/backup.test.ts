import { existsSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import { execa, execaSync } from 'execa';
import { describe, expect, onTestFinished, test } from 'vitest';
import { raw, sql } from '../../../src/service/database/sql.ts';
import { backupStore } from '../../../src/service/index.ts';
import { homeOf } from '../../../src/service/store/access.ts';
import { recordKinds } from '../../../src/service/store/records.ts';
import { createSpace, grant } from '../../../src/service/store/spaces.ts';
import { identify } from '../../../src/service/store/tokens.ts';
import { valNamed } from '../../../src/service/store/vals.ts';
import { isLong } from '../../support/cases.ts';
import { environment, makeNamedPipe, program, run, temporaryFolder } from '../../support/program.ts';
import { placeOf } from '../support/embedded-service.ts';
import { lock, untilWaiting } from '../support/locks.ts';
import { newDatabase, onServer } from '../support/postgres.ts';
import { binariesOfPostgres } from '../support/postgres-binaries.mjs';
import { seedOfEachKind } from '../support/seeds.ts';
import {
  addPerson,
  behindProxy,
  browse,
  clientOf,
  postgres,
  signedIn,
  storeOf,
  type TemporaryService,
  temporaryService,
  type Val,
} from '../support.ts';

const signal = new AbortController().signal;
const newFile = () => join(temporaryFolder(), 'copy.db');
const copy = (from: string, to: string) => backupStore(placeOf(from), placeOf(to), { signal });

async function newTarget(): Promise<string> {
  if (postgres === undefined) return newFile();
  const { address, drop } = await newDatabase(postgres);
  onTestFinished(drop);
  return address;
}

/** Two people, a space, and some of everything. Returns their tokens. */
async function fill(service: TemporaryService): Promise<Record<string, string>> {
  const [ada, bob] = [await addPerson(service, 'ada'), await addPerson(service, 'bob')];
  const { db } = await storeOf(service);
  await createSpace(db, 'acme');
  await grant(db, 'acme', 'ada', 'write');
  await grant(db, 'acme', 'bob', 'read');
  const { id } = await ada.createVal({ name: 'greet', code: '1\0é😀', readme: '# r', privacy: 'public' });
  await ada.ask('POST', `/v1/vals/${id}/versions`, { body: { code: '2' } });
  await ada.ask('POST', `/v1/vals/${id}/versions`, { body: { code: '3' } });
  await ada.ask('DELETE', `/v1/vals/${id}/versions/2`);
  const times = { runStartAt: '2026-01-31T09:30:00Z', runEndAt: null };
  await ada.ask('POST', `/v1/vals/${id}/runs`, {
    body: { version: 1, ...times, error: 'boom', logs: 'l\0' },
  });
  const code = `import 'http://localhost/v1/vals/${id}/module';`;
  await ada.ask('PUT', '/@acme/v1/vals', { body: { name: 'ours', code } });
  for (let i = 0; i < 60; i++) await bob.putVal('many', `${i}`);
  const made = await ada.ask('POST', '/@acme/v1/me/tokens', { body: { name: 'ci' } });
  return { ada: ada.token, bob: bob.token, ci: (made.body as { token: string }).token };
}

const kinds = [...recordKinds, 'references', 'spaces', 'tokens'];
const paths = ['/v1/me', ...kinds.map((kind) => `/v1/me/${kind}`)];

/** What each person gets from a service, with the code of each val and version. */
async function viewsOf(at: string, tokens: Record<string, string>): Promise<unknown> {
  const { baseUrl, close } = await temporaryService({ at });
  // A copy that is served gets a token of its own.
  const withoutOwn = /\{[^{}]*"name":"embedded [^{}]*\},?/g;
  const views: Record<string, unknown> = {};
  for (const [name, token] of Object.entries(tokens)) {
    const client = clientOf({ baseUrl, token });
    const ids = await Promise.all(
      ['', '/@acme'].map(async (base) => ((await client.ask('GET', `${base}/v1/me`)).body as Val).id),
    );
    const lists = ids.map((id) => `/v1/users/${id}/vals?limit=100`);
    for (const path of [...paths, ...lists].flatMap((path) => [path, `/@acme${path}`])) {
      const { status, text } = await client.ask('GET', path);
      views[`${name} ${path}`] = [
        status,
        text
          .replace(withoutOwn, '')
          .replaceAll(baseUrl, '')
          .replaceAll(/"lastUsedAt":"[^"]*"/g, ''),
      ];
      for (const [, id] of text.matchAll(/"id":"([0-9a-f-]{36})","name":"\w+","code"/g)) {
        for (const part of ['', '/versions?limit=100', '/versions/1', '/runs']) {
          const { headers, text } = await client.ask('GET', `/v1/vals/${id}${part}`);
          views[`${name} ${id}${part}`] = [headers.etag, text.replaceAll(baseUrl, '')];
        }
      }
    }
  }
  await close();
  return views;
}

async function indexesOf(at: string): Promise<unknown[]> {
  const { db } = await storeOf({ at });
  const indexes =
    'file' in placeOf(at)
      ? "SELECT name, sql FROM sqlite_schema WHERE type = 'index' ORDER BY name"
      : "SELECT indexname, indexdef FROM pg_indexes WHERE schemaname = 'vals' ORDER BY indexname";
  return db.query(raw(indexes));
}

describe('a backup', () => {
  test('has everything that each person sees, also after the way back, and its tokens work', async () => {
    const service = await temporaryService({
      seed: seedOfEachKind(),
    });
    const tokens: Record<string, string> = { local: service.token, ...(await fill(service)) };
    const target = await newTarget();
    const counts = await copy(service.at, target);
    expect(counts).toEqual({
      ...{ people: 3, spaces: 1, tokens: 4, vals: 4, versions: 64 },
      ...Object.fromEntries(recordKinds.map((kind) => [kind, 1])),
      ...{ runs: 2, references: 1 },
    });
    expect(await indexesOf(target)).toEqual(await indexesOf(service.at));
    const back = newFile();
    expect(await copy(target, back)).toEqual(counts);
    expect(statSync(back).mode & 0o777).toBe(0o600);
    expect(readdirSync(dirname(back))).toEqual(['copy.db']);
    const before = await viewsOf(service.at, tokens);
    expect(await viewsOf(target, tokens)).toEqual(before);
    expect(await viewsOf(back, tokens)).toEqual(before);
    const restored = await temporaryService({ at: back });
    const ada = clientOf({ baseUrl: restored.baseUrl, token: tokens.ada });
    expect((await ada.putVal('later', 'c')).status).toBe(201);
    const [newest] = await ada.idsFrom(`/v1/users/${(await ada.get('/v1/me')).id}/vals`);
    expect((await ada.get(`/v1/vals/${newest}`)).name).toBe('later');
  });

  test('is of one moment, while four writers write', async () => {
    const service = await temporaryService();
    let isDone = false;
    // A writer changes the second val only after the first, so a copy of one moment never has a second that is ahead.
    const writers = Array.from({ length: 4 }, async (_, who) => {
      for (let i = 1; !isDone; i++) {
        for (const name of [`a${who}`, `z${who}`]) await service.putVal(name, `${i}`);
      }
    });
    for (let round = 0; round < (isLong ? 8 : 1); round++) {
      const target = await newTarget();
      await copy(service.at, target);
      const copied = await storeOf({ at: target });
      const owner = await identify(copied, 'token', service.token);
      if (!owner) throw new Error('the token does not work');
      const access = homeOf(owner);
      for (let who = 0; who < 4; who++) {
        const codeOf = (name: string) =>
          valNamed(copied.db, access, access.owner.username, name).then(
            ({ code, version }) => [Number(code), version],
            () => [0, 0],
          );
        const [[first = 0, version], [second = 0]] = [await codeOf(`a${who}`), await codeOf(`z${who}`)];
        expect(version).toBe(first);
        expect([first, first - 1]).toContain(second);
      }
    }
    isDone = true;
    await Promise.all(writers);
  });

  test('refuses a target that is not empty, and leaves it as it is', async () => {
    const service = await temporaryService();
    const file = newFile();
    writeFileSync(file, 'mine');
    await expect(copy(service.at, file)).rejects.toMatchObject({ exit: 5 });
    expect(readFileSync(file, 'utf8')).toBe('mine');
    const pipe = newFile();
    makeNamedPipe(pipe);
    await expect(copy(service.at, pipe)).rejects.toMatchObject({ exit: 5 });
    if (!postgres) return;
    const used = await newTarget();
    await onServer(used, 'CREATE TABLE mine (x TEXT)');
    await expect(copy(service.at, used)).rejects.toMatchObject({ exit: 5 });
    expect(await onServer(used, schemas)).toEqual([]);
  });

  test('that is interrupted or fails leaves nothing behind', async () => {
    const service = await temporaryService();
    await fill(service);
    const target = await newTarget();
    for (const stop of [1, 5]) {
      const abort = new AbortController();
      let reports = 0;
      const onProgress = () => {
        reports += 1;
        // A file is so small that its copy reports once.
        if (reports === stop || !postgres) abort.abort(new Error('stopped'));
      };
      const copying = backupStore(placeOf(service.at), placeOf(target), {
        signal: abort.signal,
        onProgress,
      });
      await expect(copying).rejects.toThrow('stopped');
      if ('file' in placeOf(target)) expect(readdirSync(dirname(target))).toEqual([]);
      else expect(await onServer(target, schemas)).toEqual([]);
    }
    await copy(service.at, target);
    const folder = temporaryFolder();
    writeFileSync(join(folder, 'file'), '');
    for (const name of ['none', 'file']) {
      await expect(copy(service.at, join(folder, name, 'copy.db'))).rejects.toMatchObject({
        exit: 10,
        message: `The folder ${join(folder, name)} does not exist.`,
      });
    }
  });

  test('that is killed leaves no file of its name, and an empty database', async () => {
    const service = await temporaryService();
    await service.putVal('a', 'a');
    const target = await newTarget();
    if (postgres) await lock(service.at, 'LOCK TABLE vals.versions');
    const data = postgres ? [] : ['--data', service.at];
    const killBefore = {
      NODE_OPTIONS: `--require ${resolve('test/service/backup/renames.cjs')}`,
      KILL_BEFORE: 'copy.db',
    };
    const child = execa(process.execPath, [program, 'backup', ...data, target], {
      env: environment(temporaryFolder(), postgres ? { VALS_DATABASE: service.at } : killBefore),
      extendEnv: false,
      reject: false,
    });
    if (postgres) {
      await untilWaiting(service.at, 1);
      child.kill('SIGKILL');
    }
    expect((await child).signal).toBe('SIGKILL');
    if (postgres) expect(await onServer(target, schemas)).toEqual([]);
    else expect(existsSync(target)).toBe(false);
  });
});

const schemas = "SELECT 1 FROM pg_namespace WHERE nspname = 'vals'";

test('a full disk is exit 10, and leaves nothing behind', async () => {
  const disk = temporaryFolder();
  const mounted = await execa('mount', ['-t', 'tmpfs', '-o', 'size=300k', 'tmpfs', disk], { reject: false });
  if (mounted.failed) return;
  onTestFinished(() => void execaSync('umount', [disk]));
  const service = await temporaryService();
  for (let i = 0; i < 5; i++) await service.putVal(`large${i}`, `${i}`.repeat(100_000));
  const source = postgres ? [] : ['--data', service.at];
  const env = environment(temporaryFolder(), postgres ? { VALS_DATABASE: service.at } : {});
  // In a process of its own, because the disk can be unmounted only after the end of the process.
  const { exitCode, stderr } = await execa(
    process.execPath,
    [program, 'backup', join(disk, 'copy.db'), ...source],
    {
      ...{ env, extendEnv: false, reject: false },
    },
  );
  expect({ exitCode, stderr }).toEqual({ exitCode: 10, stderr: expect.stringContaining('its disk is full') });
  expect(readdirSync(disk)).toEqual([]);
});

test('the command prints the counts, and masks the password of its target', async () => {
  const service = await temporaryService();
  await service.putVal('a', 'a');
  const target = await newTarget();
  const source = postgres ? { env: { VALS_DATABASE: service.at } } : {};
  const data = postgres ? [] : ['--data', service.at];
  const { exit, stdout, stderr } = await run(['backup', ...data, target, '--json'], source);
  expect({ exit, stderr }).toEqual({
    exit: 0,
    stderr: expect.stringMatching(postgres ? /^Using the database / : /^$/),
  });
  const shown = target.replace(/:\w+@/, ':***@');
  expect(JSON.parse(stdout)).toEqual({
    target: shown,
    counts: expect.objectContaining({ people: 1, versions: 1 }),
  });
  expect(await run(['backup', ...data, target], source)).toMatchObject({ exit: 5, stdout: '' });
});

test('who finds a backup, a copy of the file or a dump can sign in nowhere', async () => {
  const service = await temporaryService({ network: behindProxy });
  const headers = { Host: 'vals.example' };
  const direct = clientOf({ baseUrl: `http://127.0.0.1:${service.port}`, token: service.token });
  const cookie = await signedIn(service, service.token);
  const link = new URL(
    ((await direct.ask('GET', '/v1/me/page-link', { headers })).body as { url: string }).url,
  );
  const [, session = ''] = cookie.split('=');
  const secrets = [service.token, session, link.searchParams.get('key') ?? ''];
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
  expect((await visit(copied, `${link.pathname}${link.search}`)).text).toContain('This link was used before');
  expect((await visit(service, '/', cookie)).text).toContain('Signed in as');
  expect((await visit(service, `${link.pathname}${link.search}`)).status).toBe(303);

  const rows = await (await storeOf(service)).db.query<{ digest: string }>(
    sql`SELECT digest FROM tokens UNION ALL SELECT digest FROM sessions`,
  );
  expect(rows.length).toBeGreaterThan(1);
  for (const { digest } of rows) {
    expect(await direct.statusOf('GET', '/v1/me', { token: digest, headers })).toBe(401);
    const named = cookie.replace(/=.*/, `=${digest}`);
    expect((await visit(service, '/', named)).text).toContain('Not signed in');
    expect((await visit(service, `/sign-in?key=${digest}`)).status).toBe(200);
  }
});

/** What the files of a SQLite store have, or a dump of a PostgreSQL database. */
function rawBytesOf(at: string): Buffer[] {
  if (!('file' in placeOf(at)))
    return [Buffer.from(execaSync(join(`${binariesOfPostgres()}`, 'pg_dump'), [at]).stdout)];
  return ['', '-wal'].map((suffix) => readFileSync(`${at}${suffix}`));
}

test.skipIf(postgres)(
  'a command says which store it made or used, and that a copied store has no vals',
  async () => {
    const home = temporaryFolder();
    const env = { VALS_DATA_DIR: join(home, 'data') };
    const store = join(home, 'data', 'vals.db');
    const added = await run(['user', 'add', 'ada'], { home, env });
    expect(added.stderr).toBe(`Created the store ${store}.\n`);
    const listed = await run(['user', 'ls'], { home, env });
    expect(listed.stderr).toBe(`Using the store ${store}.\n`);
    expect((await run(['user', 'ls', '--data', store], { home, env })).stderr).toBe('');
    const { exit, stderr } = await run(['backup', 'copy.db'], { home, env, cwd: home });
    expect({ exit, stderr }).toEqual({
      exit: 0,
      stderr: expect.stringContaining(`${store} has no vals. Name another store`),
    });
  },
);

test.skipIf(postgres).each(['', 'new/'])('a folder is no target (%j)', async (below) => {
  const { exit, stderr } = await run(['backup', join(temporaryFolder(), below)]);
  expect({ exit, stderr }).toMatchObject({ exit: 2, stderr: expect.stringContaining('is a folder') });
  expect(stderr).toContain('/vals-backup.db`');
});

test.skipIf(postgres)('a copy of an embedded store serves, and has a token of its own', async () => {
  const { at, ...service } = await temporaryService();
  await service.createVal({ name: 'mine', code: 'c' });
  const home = temporaryFolder();
  const data = temporaryFolder();
  const target = join(data, 'vals.db');
  const env = { VALS_DATA_DIR: data };
  expect(await run(['backup', '--data', at, target], { home, env })).toMatchObject({ exit: 0 });
  const renewed = JSON.parse((await run(['user', 'token', 'local', '--data', target, '--json'])).stdout);
  const served = await temporaryService({ at: target });
  expect(served.token).toBe(renewed.token);
  expect(await served.statusOf('GET', '/v1/me', { token: renewed.token })).toBe(200);
  expect(await served.statusOf('GET', '/v1/me', { token: service.token })).toBe(401);
  await served.close();
  const { stdout } = await run(['ls', '--local', '--json'], { home, env });
  expect(JSON.parse(stdout)).toMatchObject([{ name: 'mine' }]);
});
