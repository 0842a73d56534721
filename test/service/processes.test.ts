// Several processes on one file, processes that die, and files that are held.
import { join } from 'node:path';
import Database from 'libsql';
import { beforeAll, expect, test } from 'vitest';
import { isLong } from '../support/budget.ts';
import {
  ask,
  bundleDriver,
  firstLine,
  type List,
  spawnDriver,
  temporaryFolder,
  temporaryService,
  type Val,
} from './support.ts';

let driver: string;
beforeAll(async () => {
  driver = await bundleDriver();
});

test.concurrent('processes that make the same file at the same moment agree, and none fails', async () => {
  const PROCESSES = 5;
  const PUSHES = 6;
  for (let round = 0; round < (isLong ? 20 : 2); round++) {
    const file = join(temporaryFolder(), 'store.db');
    const children = Array.from({ length: PROCESSES }, (_, i) =>
      spawnDriver(driver, 'push', file, `${i}`, `${PUSHES}`),
    );
    const results = await Promise.all(
      children.map(firstLine<{ token: string; answers: { status: number; version: number }[] }>),
    );
    const service = await temporaryService(undefined, file);
    expect(new Set([service.token, ...results.map(({ token }) => token)]).size).toBe(1);

    const answers = results.flatMap((result) => result.answers);
    expect(answers.every(({ status }) => status === 200 || status === 201)).toBe(true);
    expect(answers.filter(({ status }) => status === 201)).toHaveLength(PROCESSES + 1);

    const shared = (await ask(service, 'PUT', '/v1/vals', { body: { name: 'shared', code: 'end' } }))
      .body as Val;
    const total = PROCESSES * PUSHES + 1;
    expect(shared.version).toBe(total);
    const versions = (await ask(service, 'GET', `/v1/vals/${shared.id}/versions?limit=100`)).body as List;
    expect(versions.data.map(({ version }) => version)).toEqual(
      Array.from({ length: total }, (_, i) => total - i),
    );
    await service.close();
  }
});

test.concurrent('what was acknowledged outlives kill -9, and numbering goes on', async () => {
  const file = join(temporaryFolder(), 'store.db');
  const acknowledged = new Map<string, { version: number; code: string }>();
  let token: string | undefined;

  for (let round = 0; round < (isLong ? 50 : 4); round++) {
    const child = spawnDriver(driver, 'serve', file);
    const service = await firstLine<{ baseUrl: string; token: string }>(child);
    token ??= service.token;
    expect(service.token).toBe(token);

    let dead = false;
    const sender = async (name: string) => {
      for (let i = 0; !dead; i++) {
        const code = `// ${round} ${i} ${'x'.repeat(20_000)}`;
        const answer = await ask(service, 'PUT', '/v1/vals', { body: { name, code } }).catch(() => undefined);
        if (!answer) return;
        expect(answer.status).toBeLessThan(300);
        const { version } = answer.body as Val;
        expect(version).toBeGreaterThan(acknowledged.get(name)?.version ?? 0);
        acknowledged.set(name, { version, code });
        names.add(name);
        if (names.size === 3 && Math.random() < 0.2) enough();
      }
    };
    const names = new Set<string>();
    let enough = () => {};
    const acknowledgements = new Promise<void>((resolve) => {
      enough = resolve;
    });
    const senders = ['a', 'b', 'c'].map(sender);
    await acknowledgements;
    const exit = new Promise((resolve) => child.once('exit', resolve));
    child.kill('SIGKILL');
    await exit;
    dead = true;
    await Promise.all(senders);
  }

  const service = await temporaryService(undefined, file);
  expect(acknowledged.size).toBe(3);
  for (const [name, { version, code }] of acknowledged) {
    const { id, version: last } = (await ask(service, 'PUT', '/v1/vals', { body: { name, code: 'end' } }))
      .body as Val;
    // At most one more than acknowledged was committed by each process before it died; then there is "end".
    expect(last).toBeGreaterThan(version);
    const versions = ((await ask(service, 'GET', `/v1/vals/${id}/versions?limit=100`)).body as List).data;
    expect(versions).toHaveLength(last);
    const kept = (await ask(service, 'GET', `/v1/vals/${id}/versions/${version}`)).body as Val;
    expect(kept.code === code).toBe(true);
  }
  await service.close();
  const [check] = new Database(file).prepare('PRAGMA integrity_check').all() as { integrity_check: string }[];
  expect(check?.integrity_check).toBe('ok');
});

test.concurrent('a file held for too long: reads go on, writes give 503, then all is well again', async () => {
  const file = join(temporaryFolder(), 'store.db');
  const service = await firstLine<{ baseUrl: string; token: string }>(spawnDriver(driver, 'serve', file));
  const put = () => ask(service, 'PUT', '/v1/vals', { body: { name: 'v', code: 'c' } });
  const other = new Database(file);
  other.exec('BEGIN IMMEDIATE');
  expect((await ask(service, 'GET', '/v1/me/likes')).status).toBe(200);
  expect(await put()).toMatchObject({ status: 503, headers: { 'retry-after': '1' } });
  other.exec('ROLLBACK');
  expect((await put()).status).toBe(201);
});
