import { readFileSync } from 'node:fs';
import { readFile, rename, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { execa } from 'execa';
import { describe, expect, it } from 'vitest';
import { install } from '../support/install.ts';
import { environment, program, temporaryFolder } from '../support/program.ts';
import { startStrict } from '../support/strict-service.ts';

const { version } = JSON.parse(readFileSync('package.json', 'utf8'));

it('a prepared text needs no program, and is the text that the program prints', async () => {
  const installed = await install();
  const main = join(installed.folder, 'dist/main.js');
  const asked = [[], ['val', 'get', '--help'], ['-V']];
  const written = () => Promise.all(asked.map((words) => installed.vals(words)));
  await rename(main, `${main}.away`);
  const prepared = await written();
  await rename(`${main}.away`, main);
  expect(prepared).toEqual([expect.stringMatching(/^Usage: vals /), expect.any(String), `${version}\n`]);
  await rm(join(installed.folder, 'dist/prepared'), { recursive: true });
  expect(await written()).toEqual(prepared);
});

it('a command in a folder that was deleted fails with one error and exit code 10', async () => {
  const cwd = temporaryFolder();
  const { exitCode, stderr } = await execa('bash', ['-c', 'rm -r "$PWD"; exec $vals push a.ts'], {
    env: environment(cwd, { vals: `${process.execPath} ${program}` }),
    extendEnv: false,
    cwd,
    reject: false,
  });
  expect({ exitCode, stderr }).toEqual({
    exitCode: 10,
    stderr: 'error: The current folder no longer exists.\nhint: Change to a folder that exists.',
  });
});

describe('the cache of bytecode', () => {
  const used = ['me', '--json'];

  it('is written by the first run that reaches a service, and used by every later run', async () => {
    const installed = await install();
    const { env } = await startStrict();
    await installed.vals(['config', '--json']);
    expect(await installed.compiled()).toEqual([]);
    await installed.vals(used, env);
    const kept = await installed.compiled();
    expect(kept.map(({ name }) => name)).toEqual([expect.stringMatching(/^client-v/)]);
    await installed.vals(used, env);
    expect(await installed.compiled()).toEqual(kept);
  });

  it('of an older program of the same length is not run', async () => {
    const installed = await install();
    const { env } = await startStrict();
    await installed.vals(used, env);
    const file = join(installed.folder, 'dist/main.js');
    const source = await readFile(file, 'utf8');
    const [mark = ''] = /[0-9a-f]{16}/.exec(source) ?? [];
    const changed = source
      .replace(mark, '0123456789abcdef')
      .replaceAll('Show the settings in use', 'SHOW THE SETTINGS IN USE');
    expect(changed.length).toBe(source.length);
    await writeFile(file, changed);
    expect(await installed.vals(['config', '--no-color', '--help'])).toContain('SHOW THE SETTINGS');
  });
});
