import { cpSync, readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { execa } from 'execa';
import { expect, it } from 'vitest';
import { describeWith } from '../support/describe-with.ts';
import { install } from '../support/install.ts';
import { environment, temporaryFolder } from '../support/program.ts';

function checkout(): string {
  const folder = temporaryFolder();
  for (const path of ['package.json', '.ci']) cpSync(path, join(folder, path), { recursive: true });
  return folder;
}

const node = (words: readonly string[], cwd: string) =>
  execa(process.execPath, words, { cwd, env: environment(cwd), extendEnv: false, reject: false });

it('the packed package.json has no scripts, and packing restores the original', async () => {
  const cwd = checkout();
  const read = () => JSON.parse(readFileSync(join(cwd, 'package.json'), 'utf8'));
  const before = read();
  await node(['.ci/pack.mjs', 'before'], cwd);
  const { scripts, devDependencies, overrides, ...published } = before;
  expect(read()).toEqual(published);
  await node(['.ci/pack.mjs', 'after'], cwd);
  expect(read()).toEqual(before);
});

it('an install without development dependencies says what to do, and does not fail', async () => {
  const cwd = checkout();
  const { exitCode, stderr } = await node(['.ci/prepare.mjs'], cwd);
  expect({ exitCode, stderr }).toEqual({ exitCode: 0, stderr: expect.stringContaining('Run `npm ci`') });
});

it('a program that was not built says what to do', async () => {
  const { folder } = await install();
  rmSync(join(folder, 'dist'), { recursive: true });
  const { exitCode, stderr } = await node(['bin/vals.js', '--version'], folder);
  expect({ exitCode, stderr }).toEqual({ exitCode: 2, stderr: expect.stringContaining('Run `npm ci`') });
});

describeWith('deno', 'under Deno', (deno) => {
  const vals = (words: readonly string[]) =>
    execa(deno, ['run', '--no-prompt', ...words], { env: { NO_COLOR: '1' }, reject: false });

  it('vals works with all permissions', async () => {
    expect(await vals(['-A', 'bin/vals.js', 'config', '--json'])).toMatchObject({ exitCode: 0, stderr: '' });
  });
});
