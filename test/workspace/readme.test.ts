import { cpSync, readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { execa } from 'execa';
import { expect, it } from 'vitest';
import { environment, program, temporaryFolder } from '../support/program.ts';

const linesOf = (title: string): string[] => {
  const section = readFileSync('README.md', 'utf8').split(`## ${title}`)[1] ?? '';
  return (/```sh\n([\s\S]*?)```/.exec(section)?.[1] ?? '').trim().split('\n');
};

async function play(lines: string[], home: string) {
  const script = [`set -e`, `vals() { "${process.execPath}" "${program}" "$@"; }`, ...lines];
  const { exitCode, stdout, stderr } = await execa('bash', ['-c', script.join('\n')], {
    cwd: home,
    env: environment(home),
    extendEnv: false,
    reject: false,
  });
  expect({ exitCode, stderr }).toEqual({ exitCode: 0, stderr: '' });
  return stdout;
}

it('the commands in the README for the first minutes work', async () => {
  const lines = linesOf('The first minutes');
  expect([lines[0], lines.at(-1)]).toEqual([
    expect.stringContaining('npm ci && npm install -g .'),
    expect.stringContaining('vals val rm hello'),
  ]);
  const home = temporaryFolder();
  cpSync(resolve('examples'), join(home, 'examples'), { recursive: true });
  const stdout = await play(lines.slice(1, -1), home);
  expect(stdout).toMatch(/created\thello\t1\t/);
  expect(stdout).toContain(readFileSync('examples/hello.ts', 'utf8'));
  expect(stdout).toMatch(/Hello, Ada!\n.*\thello\t1\t/);
});

it('the commands in the README for a workspace work', async () => {
  const lines = linesOf('A workspace');
  expect(lines.at(-1)).toContain('vals push --watch');
  const stdout = await play(lines.slice(0, -1), temporaryFolder());
  expect(stdout).toMatch(/created\tgreet\t1\t/);
  expect(stdout).toMatch(/changed here\tgreet\t/);
  expect(stdout).toContain('-export default () => "hello"\n+export default () => "hello, world"\n');
  expect(stdout).toMatch(/pushed\tgreet\t2\t/);
  expect(stdout).toMatch(/unchanged\tgreet\t2\t/);
});
