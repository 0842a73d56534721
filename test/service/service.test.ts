import { once } from 'node:events';
import { chmodSync, existsSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import Database from 'libsql';
import { describe, expect, test } from 'vitest';
import { LocalError } from '../../src/core/errors.ts';
import { DatabaseFailure, startService } from '../../src/service/index.ts';
import { problemOf, problemReply } from '../../src/service/problem.ts';
import { ends, run, temporaryFolder } from '../support/program.ts';
import { scriptedService } from '../support/scripted-service.ts';
import { seedOf } from './support/seeds.ts';
import { beginPut, temporaryService } from './support.ts';

const modeOf = (path: string) => statSync(path).mode & 0o777;

async function failureOf(promise: Promise<unknown>) {
  const error = await promise.catch((reason: unknown) => reason);
  if (!(error instanceof LocalError)) throw new Error(`no local error: ${error}`);
  return { message: error.message, hint: error.facts.hint };
}

describe('the file of a store', () => {
  test('is private to the owner, and so is its folder, whatever the umask', async () => {
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

  test('contains all data after the service has ended, and is made private if other users could read it', async () => {
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
      (file) => new Database(file).exec('CREATE TABLE theirs (a)'),
    ],
  ])('is refused when it is %s, and stays as it is', async (_, message, make) => {
    const file = join(temporaryFolder(), 'store.db');
    make(file);
    const before = readFileSync(file);
    const { message: said, hint } = await failureOf(startService({ file, port: 0 }));
    expect(said).toMatch(message);
    expect(hint).toBeTruthy();
    expect(readFileSync(file)).toEqual(before);
  });
});

test('if a port is in use, the error names the port, nothing of a seed is loaded, and no other port stays open', async () => {
  const { port: used, at: file, close } = await temporaryService();
  const seed = seedOf({ likes: [{}] });
  for (const [options, name] of [
    [{ port: used }, '--port'],
    [{ port: 0, metrics: { port: used, host: '127.0.0.1' } }, '--metrics-port'],
  ] as const) {
    const { message, hint } = await failureOf(startService({ file, seed, ...options }));
    expect(message).toBe(`Port ${used} on 127.0.0.1 is in use by another program.`);
    expect(hint).toContain(`set ${name} to 0`);
  }
  await close();
  expect(await (await temporaryService({ at: file })).idsFrom('/v1/me/likes')).toEqual([]);
});

test('ending the service gives up on a request that never ends', { timeout: 20_000 }, async () => {
  const service = await temporaryService();
  await once(beginPut(service, '{', { headers: ['Expect: 100-continue'] }), 'data');
  await service.close();
});

test('a write that the full disk of the service refused is known to have changed nothing', async () => {
  const { status, body } = problemReply(problemOf(new DatabaseFailure('full', new Error('full'))));
  const { env } = await scriptedService([], () => ({ status, body: JSON.parse(`${body}`) }));
  const words = ['version', 'new', '00000000-0000-4000-8000-000000000000'];
  expect(await run(words, { env, input: '1' })).toMatchObject(ends(7, 'nothing was stored or deleted'));
});
