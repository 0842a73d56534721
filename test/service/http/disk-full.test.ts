import { expect, test } from 'vitest';
import { DatabaseFailure } from '../../../src/service/database/database.ts';
import { problemOf, problemReply } from '../../../src/service/problem.ts';
import { run } from '../../support/program.ts';
import { scriptedService } from '../../support/scripted-service.ts';

test('a write that the full disk of the service refused is known to have changed nothing', async () => {
  const { status, body } = problemReply(problemOf(new DatabaseFailure('full', new Error('full'))));
  const { env } = await scriptedService([], () => ({ status, body: JSON.parse(`${body}`) }));
  const { exit, stderr } = await run(['version', 'new', '00000000-0000-4000-8000-000000000000'], {
    env,
    input: 'export default 1',
  });
  expect(exit).toBe(7);
  expect(stderr).toContain('nothing was stored or deleted');
});
