import { expect, it } from 'vitest';
import { quickRetries } from '../../../support/clocks.ts';
import { runQuickly as run, runOnScreen, temporaryFolder } from '../../../support/program.ts';
import { type Reply, scriptedService } from '../../../support/scripted-service.ts';

const id = '4f2c0c1e-6a53-4bd2-9a2e-1f1f3f0b9c11';
const etag = '"3-9f"';
const val = (headers: Record<string, string>): Reply => ({ headers, body: { id, name: 'a', version: 3 } });
const lost: Reply = (response) => response.destroy();

it.each([
  [etag, etag],
  [undefined, undefined],
  ['W/"3"', undefined],
  ['"\u00e9"', undefined],
])('after the ETag %j of a val, every attempt of a write has the If-Match %j', async (sent, expected) => {
  const read = val(sent === undefined ? {} : { etag: sent });
  const service = await scriptedService([read, { status: 503 }, val({})]);
  const args = ['version', 'new', id, '--if-version', '3'];
  expect(await run(args, { env: service.env, input: '2' })).toMatchObject({ exit: 0 });
  expect(service.requests.map(({ headers }) => headers['if-match'])).toEqual([undefined, expected, expected]);
});

it('412 after a lost PUT may come from the lost PUT, so the outcome is not known', async () => {
  const home = temporaryFolder();
  const { env } = await scriptedService([val({}), val({ etag }), lost, { status: 412 }]);
  await run(['val', 'create', 'a'], { env, home, input: '1' });
  const { exit } = await run(['val', 'set', 'a', '--privacy', 'public'], { env, home });
  expect(exit).toBe(8);
});

it('412 after a lost DELETE leaves the outcome unknown, too', async () => {
  const { env } = await scriptedService([val({ etag }), lost, { status: 412 }]);
  const answers = [{ after: '[y/N]', keys: 'y\r' }];
  const { exit } = await runOnScreen(['val', 'rm', id], { env, answers, clock: quickRetries });
  expect(exit).toBe(8);
});
