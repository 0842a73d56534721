import { expect, it } from 'vitest';
import { systemClock } from '../../../../src/core/lib/waiting.ts';
import { settableClock } from '../../../support/clocks.ts';
import { run, runQuickly } from '../../../support/program.ts';
import { type Reply, scriptedService, testToken } from '../../../support/scripted-service.ts';

const failed: Reply = { status: 502, body: { message: 'no backend' } };
const me = ['me', '--json', '--timeout', '100'];

it.each([
  [20_000, 4, 'The service could not complete the request (502): no backend.'],
  [31_000, 3, 'The service could not complete the request (502): no backend. vals tried for 93 s.'],
])('attempts of %i ms in 100 s are %i: none begins in the last tenth', async (ms, attempts, message) => {
  const clock = settableClock();
  const service = await scriptedService([], () => {
    clock.pass(ms);
    return failed;
  });
  const { exit, error } = await run(me, { env: service.env, clock });
  expect({ exit, attempts: service.requests.length, message: error?.message }).toEqual({
    ...{ exit: 7, attempts, message },
  });
});

it('an attempt that is cut off tells what the one before met, and how long all of them took', async () => {
  const clock = settableClock();
  const service = await scriptedService([failed], () => () => clock.pass(100_000));
  const { exit, error } = await run(me, { env: service.env, clock });
  expect({ exit, attempts: service.requests.length }).toEqual({ exit: 7, attempts: 2 });
  expect(error?.message).toBe(
    'The service could not complete the request (502): no backend. vals tried for 100 s.',
  );
  const silent = await scriptedService([], () => () => clock.pass(100_000));
  const { error: late } = await run(me, { env: silent.env, clock });
  expect(late?.message).toMatch(/took too long: there was no reply within 100 s\.$/);
});

it('a host that does not exist is asked for once', async () => {
  const env = { VALS_BASE_URL: 'http://vals.invalid', VALS_TOKEN: testToken };
  const { exit, stderr } = await runQuickly(['me', '--allow-http', '--debug'], { env });
  expect({ exit, attempts: stderr.match(/^> /gm)?.length }).toEqual({ exit: 7, attempts: 1 });
});

it('where a connection is refused, all pauses together take less than two seconds', async () => {
  const pauses: number[] = [];
  const clock = {
    ...systemClock,
    after(ms: number, callback: () => void) {
      if (ms < 2_000) pauses.push(ms);
      return systemClock.after(ms < 2_000 ? 0 : ms, callback);
    },
  };
  const env = { VALS_BASE_URL: 'http://127.0.0.1:1', VALS_TOKEN: testToken };
  expect(await run(['me'], { env, clock })).toMatchObject({ exit: 7 });
  expect(pauses).toHaveLength(3);
  expect(pauses.reduce((sum, ms) => sum + ms)).toBeLessThan(2_000);
});
