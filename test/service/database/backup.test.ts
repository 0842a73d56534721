import { statSync } from 'node:fs';
import Libsql from 'libsql';
import { expect, onTestFinished, test } from 'vitest';
import { temporaryService } from '../support.ts';

test('writes do not wait for a reader, and the log shrinks after the reader has ended', {
  timeout: 20_000,
}, async () => {
  const service = await temporaryService();
  const logBytes = () => statSync(`${service.at}-wal`).size;
  const push = async (text: string) =>
    (await service.putVal('large', text + '\u20ac'.repeat(250_000))).status;
  await push('first');
  const reader = new Libsql(service.at);
  onTestFinished(() => void reader.close());
  reader.exec('BEGIN');
  reader.prepare('SELECT count(*) FROM vals').all();
  for (let i = 0; i < 10; i++) expect(await push(`${i}`)).toBe(200);
  expect(logBytes()).toBeGreaterThan(5_000_000);
  reader.exec('COMMIT');
  expect(await push('last')).toBe(200);
  expect(logBytes()).toBeLessThan(1_000_000);
});
