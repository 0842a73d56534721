// What the README shows of the workspace works as it is written there.
import { readFileSync } from 'node:fs';
import { execa } from 'execa';
import { expect, it } from 'vitest';
import { environment, program, temporaryFolder } from '../support/program.ts';

it('the lines of the README', async () => {
  const section = readFileSync('README.md', 'utf8').split('## A workspace')[1] ?? '';
  const lines = (/```sh\n([\s\S]*?)```/.exec(section)?.[1] ?? '').trim().split('\n');
  expect(lines.at(-1)).toContain('vals push --watch');
  const script = [`set -e`, `vals() { "${process.execPath}" "${program}" "$@"; }`, ...lines.slice(0, -1)];
  const home = temporaryFolder();
  const { exitCode, stdout, stderr } = await execa('bash', ['-c', script.join('\n')], {
    cwd: home,
    env: environment(home),
    extendEnv: false,
    reject: false,
  });
  expect({ exitCode, stderr }).toEqual({ exitCode: 0, stderr: '' });
  expect(stdout).toMatch(/created\tgreet\t1\t/);
  expect(stdout).toMatch(/changed here\tgreet\t/);
  expect(stdout).toContain('-export default () => "hello"\n+export default () => "hello, world"\n');
  expect(stdout).toMatch(/pushed\tgreet\t2\t/);
  expect(stdout).toMatch(/unchanged\tgreet\t2\t/);
});
