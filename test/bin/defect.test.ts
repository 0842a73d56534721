import { cpSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { execa } from 'execa';
import { expect, it } from 'vitest';
import { environment, temporaryFolder } from '../support/program.ts';

it('a defect says to add --debug, which prints the stack in the files and lines of the source', async () => {
  const folder = temporaryFolder();
  for (const path of ['src', 'bin', '.ci', 'esbuild.config.mjs', 'package.json', 'tsconfig.json'])
    cpSync(path, join(folder, path), { recursive: true });
  symlinkSync(resolve('node_modules'), join(folder, 'node_modules'));
  const file = join(folder, 'src/core/commands/me.ts');
  const source = readFileSync(file, 'utf8');
  const start = source.slice(0, /^ +async run\(.*\{\n/m.exec(source)?.index);
  const line = start.split('\n').length + 1;
  const broken = source.replace(
    /^( +async run\(.*\{\n)/m,
    "$1    if (process.env.VALS_BREAK) throw new TypeError('broken on purpose');\n",
  );
  expect(broken).not.toBe(source);
  writeFileSync(file, broken);
  const env = environment(folder, { VALS_BREAK: '1' });
  const options = { cwd: folder, env, extendEnv: false, reject: false };
  // The build writes each help text by the same program, which must not fail.
  await execa(process.execPath, ['esbuild.config.mjs'], {
    ...options,
    env: environment(folder),
    reject: true,
  });
  const vals = (...words: string[]) => execa(process.execPath, ['bin/vals.js', ...words], options);

  const plain = await vals('me');
  expect(plain.exitCode).toBe(1);
  expect(plain.stderr).toBe(
    'error: Unexpected: broken on purpose\nhint: This is a defect of vals. Add --debug to the command, and report what it prints.',
  );
  const debug = await vals('me', '--debug');
  expect(debug.exitCode).toBe(1);
  expect(debug.stderr).toMatch(
    new RegExp(`TypeError: broken on purpose\n    at src/core/commands/me\\.ts:${line}:\\d+\n`),
  );
  expect(debug.stderr).not.toContain('main.js');
});
