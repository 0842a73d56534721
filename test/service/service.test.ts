import { once } from 'node:events';
import { expect, test } from 'vitest';
import { httpProblemOf, problemReply } from '../../src/service/problem.ts';
import { DatabaseFailure, startService } from '../../src/service/start-service.ts';
import { ends, run } from '../support/program.ts';
import { scriptedService } from '../support/scripted-service.ts';
import { beginPut, temporaryService } from './support.ts';

test('if a port is in use, the error names the port, and no other port stays open', async () => {
  const { port: used, at: file, close } = await temporaryService();
  for (const [options, name] of [
    [{ port: used }, '--port'],
    [{ port: 0, metrics: { port: used, host: '127.0.0.1' } }, '--metrics-port'],
  ] as const) {
    await expect(startService({ file, ...options })).rejects.toMatchObject({
      exit: 10,
      message: `Port ${used} on 127.0.0.1 is in use by another program.`,
      facts: { hint: expect.stringContaining(`set ${name} to 0`) },
    });
  }
  await close();
});

// The service gives up after five seconds. Without that, it would close the connection after seventy.
test('ending the service gives up on a request that never ends', { timeout: 60_000 }, async () => {
  const service = await temporaryService();
  await once(beginPut(service, '{', { headers: ['Expect: 100-continue'] }), 'data');
  await service.close();
});

test.each([
  ['full', false, false],
  ['busy', false, false],
  ['unreachable', false, false],
  ['gone', false, false],
  ['unreachable', true, undefined],
  ['failed', false, undefined],
] as const)(
  'of a database that is %s (maybe committed: %s), a problem says applied: %s',
  (kind, maybe, applied) => {
    const { body } = problemReply(httpProblemOf(new DatabaseFailure(kind, new Error('x'), maybe)));
    expect(JSON.parse(`${body}`).applied).toBe(applied);
  },
);

test('a write that the full disk of the service refused is known to have changed nothing', async () => {
  const { status, body } = problemReply(httpProblemOf(new DatabaseFailure('full', new Error('full'))));
  const { env } = await scriptedService([], () => ({ status, body: JSON.parse(`${body}`) }));
  const words = ['version', 'new', '00000000-0000-4000-8000-000000000000'];
  expect(await run(words, { env, input: '1' })).toMatchObject(ends(7, 'nothing was stored or deleted'));
});
