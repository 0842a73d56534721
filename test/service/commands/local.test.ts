import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { execa } from 'execa';
import { expect, it, onTestFinished, vi } from 'vitest';
import { environment, folderOf, program, run, runOnScreen, temporaryFolder } from '../../support/program.ts';

it.each<[setting: string, env: Record<string, string>]>([
  ['token', { VALS_TOKEN: 'a\nb' }],
  ['base URL', { VALS_BASE_URL: 'nowhere' }],
  ['config file', { VALS_CONFIG_DIR: '.' }],
])('with --local, every command works with a broken %s', async (_setting, env) => {
  const cwd = folderOf({ 'a.ts': 'export default 1', 'config.json': '{' });
  for (const command of ['push a.ts', 'val get a']) {
    const result = await run([...command.split(' '), '--local'], { env, home: cwd, cwd });
    expect({ command, ...result }).toMatchObject({ exit: 0 });
  }
});

it('the last line of the help works in an empty folder, and no screen shows an address of --local', async () => {
  const home = temporaryFolder();
  const env = environment(home, { VALS: program });
  const line = (await run([])).stdout.trimEnd().split('\n').at(-1) ?? '';
  const typed = line.replace('| vals', '| node "$VALS"');
  const { stdout } = await execa('sh', ['-c', typed], { cwd: home, env, extendEnv: false });
  expect(stdout).toContain('created\thello\t1\t');
  for (const command of [['val', 'get', 'hello'], ['version', 'get', 'hello', '1'], ['me']]) {
    const { exit, screen } = await runOnScreen([...command, '--local'], { home });
    expect({ exit, screen }).toEqual({ exit: 0, screen: expect.not.stringContaining('127.0.0.1') });
    expect((await run([...command, '--local', '--json'], { home })).stdout).toContain(
      '"url":"http://127.0.0.1',
    );
  }
});

it('--local fails with a local error when its store is removed during a command', async () => {
  const home = temporaryFolder();
  const data = join(home, 'data');
  const editor = join(home, 'editor');
  const env = { VALS_LOCAL: '1', VALS_DATA_DIR: data, EDITOR: editor };
  await run(['push', '-', '--name', 'gone'], { home, env, input: '1' });
  writeFileSync(editor, `#!/bin/sh\nrm -r '${data}'\necho '1 + 1' > "$1"\n`, { mode: 0o755 });
  vi.stubEnv('TMPDIR', home);
  onTestFinished(() => void vi.unstubAllEnvs());
  const { exit, error, stderr } = await run(['val', 'edit', 'gone', '--json'], { home, env });
  expect({ exit, error }).toMatchObject({ exit: 10, error: { kind: 'local', hint: expect.any(String) } });
  expect(error?.message).toContain(join(data, 'vals.db'));
  expect(stderr).toContain(`Your text is in ${home}/`);
});

it('--local fails with a local error when its store cannot be written', async () => {
  const home = temporaryFolder();
  const env = environment(home, { VALS_LOCAL: '1', VALS_DATA_DIR: join(home, 'data') });
  const file = join(home, 'big.ts');
  writeFileSync(file, `// ${'x'.repeat(200_000)}`);
  const push = `ulimit -f 512 && exec "$0" "$1" push "$2" --json`;
  const words = ['-c', push, process.execPath, program, file];
  const { exitCode, stdout } = await execa('sh', words, { env, extendEnv: false, reject: false });
  expect({ exitCode, rows: JSON.parse(stdout) }).toMatchObject({
    exitCode: 10,
    rows: [{ status: 'failed', error: { kind: 'local', message: expect.stringContaining('vals.db') } }],
  });
});
