// Several processes on one file, and files that are held; kill.test.ts has those that die.
import { join } from 'node:path';
import Database from 'libsql';
import { beforeAll, expect, test } from 'vitest';
import { budget } from '../support/budget.ts';
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
  for (let round = 0; round < budget(1); round++) {
    const file = join(temporaryFolder(), 'store.db');
    const children = Array.from({ length: PROCESSES }, (_, i) =>
      spawnDriver(driver, 'push', file, `${i}`, `${PUSHES}`),
    );
    const results = await Promise.all(
      children.map(firstLine<{ token: string; answers: { status: number; version: number }[] }>),
    );
    const service = await temporaryService({ at: file });
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
