import { expect, it } from 'vitest';
import { unknownToken } from '../../../src/core/http/request/faults.ts';
import { has } from '../../support/features.ts';
import { runQuickly as run } from '../../support/program.ts';
import { scriptedService } from '../../support/scripted-service.ts';

const tokensOfServe = has('service') ? 'vals token add <name>' : 'Set VALS_TOKEN';

it.each<[line: string, status: number, exit: number, hint: string, body?: object]>([
  ['push - --name a', 500, 8, 'You can safely push again'],
  ['val create a', 500, 8, 'You can safely run the command again'],
  ['val create send-mail', 400, 6, 'send_mail'],
  ['val create large', 422, 6, 'The code has 69 KiB'],
  ['me', 401, 4, tokensOfServe, { type: unknownToken }],
  ['me', 403, 4, 'Use a token that has the permission.'],
  ['likes', 405, 3, '`vals config`'],
  ['val rm 4f2c0c1e-6a53-4bd2-9a2e-1f1f3f0b9c11 --yes', 404, 3, '`vals ls`'],
])('after vals %s and status %i (exit %i), the hint is: %s', async (line, status, exit, hint, body) => {
  const service = await scriptedService([], () => ({ status, body: body ?? {} }));
  const result = await run([...line.split(' '), '--json'], {
    env: service.env,
    input: line.endsWith('large') ? 'x'.repeat(70_000) : 'code',
  });
  expect(result.exit).toBe(exit);
  expect(result.error?.hint).toContain(hint);
});
