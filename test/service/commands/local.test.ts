import { expect, it } from 'vitest';
import { has } from '../../support/features.ts';
import { folderOf, run } from '../../support/program.ts';

it.each<[setting: string, env: Record<string, string>]>([
  ['token', { VALS_TOKEN: 'a\nb' }],
  ['base URL', { VALS_BASE_URL: 'nowhere' }],
  ['config file', { VALS_CONFIG_DIR: '.' }],
])('with --local, every command works with a broken %s', async (_setting, env) => {
  const cwd = folderOf({ 'a.ts': 'export default 1', 'config.json': '{' });
  const commands = ['push a.ts', 'val get a'];
  for (const command of commands) {
    const result = await run([...command.split(' '), '--local'], { env, home: cwd, cwd });
    expect({ command, ...result }).toMatchObject({ exit: 0 });
  }
});

it.runIf(has('run'))('a file after `vals serve` leads to `vals run --http`', async () => {
  const { exit, stderr } = await run(['serve', 'quote.ts']);
  expect({ exit, stderr }).toEqual({
    exit: 2,
    stderr: expect.stringContaining('`vals run --http quote.ts`'),
  });
});
