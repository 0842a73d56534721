import { expect, it } from 'vitest';
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
