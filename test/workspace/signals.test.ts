import { expect, it } from 'vitest';
import { folderOf, startProcess } from '../support/program.ts';
import { scriptedService } from '../support/scripted-service.ts';
import { withResolvers } from '../support/with-resolvers.ts';

it('a second SIGINT, some time after the first, ends the program at once', async () => {
  const { promise: pushing, resolve: startedToPush } = withResolvers();
  const service = await scriptedService([], ({ method }) => {
    if (method === 'GET') return { status: 404 };
    startedToPush();
    return () => {};
  });
  const cwd = folderOf({ 'vals.json': '{}', 'a.ts': 'a' });
  const { child, ended, text } = startProcess(['push', '--watch'], { env: service.env, cwd });
  await pushing;
  child.kill('SIGINT');
  // This line appears one second after the first signal. Only a signal in the first 200 ms counts as the same interrupt.
  await expect
    .poll(() => text.stderr, { timeout: 10_000 })
    .toContain('Press Ctrl-C again to stop immediately.');
  child.kill('SIGINT');
  expect(await ended).toMatchObject({ exit: null, signal: 'SIGINT' });
});
