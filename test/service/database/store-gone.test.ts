import { renameSync, rmSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { expect, test } from 'vitest';
import { temporaryFolder } from '../../support/program.ts';
import { temporaryService } from '../support.ts';

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
