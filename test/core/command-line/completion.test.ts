import { spawnSync } from 'node:child_process';
import { chmodSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { execa } from 'execa';
import { describe, expect, it } from 'vitest';
import { completions } from '../../../src/core/command-line/completion/completions.ts';
import { shells } from '../../../src/core/command-line/completion/scripts.ts';
import { commandTree } from '../../../src/main.ts';
import { has } from '../../support/features.ts';
import { environment, folderOf, program, run, temporaryFolder } from '../../support/program.ts';
import { startStrict } from '../../support/strict-service.ts';
import { openTerminal } from '../../support/terminal.ts';

/** What a shell does with spaces and files. What is offered is tested below, without a shell. */
const typed: [lineBeforeTab: string, argsThatRun: string[]][] = [
  ['vals comments --relationship rec', ['comments', '--relationship', 'received']],
  ['vals push hello.ts tw', ['push', 'hello.ts', 'two words.ts']],
];

const hostileNames = ['$(touch ran)', '`touch ran`', ';touch ran', '-rf', 'a b', '~', '*', "gre'"];

function workplace() {
  const files = ['hello.ts', 'sub/deep.ts', 'two words.ts'];
  const folder = folderOf(Object.fromEntries(files.map((file) => [file, ''])));
  const bin = folderOf({
    vals: `#!/bin/sh
case "$1" in
  __complete | completion) exec '${process.execPath}' '${program}' "$@" ;;
esac
printf 'ran:'; printf '[%s]' "$@"; printf '\\n'
`,
  });
  chmodSync(join(bin, 'vals'), 0o755);
  const env = environment(folder, {
    PATH: `${bin}:${process.env.PATH}`,
    TERM: 'xterm',
    PS1: 'ready: ',
    VALS_CONFIG_DIR: bin,
  });
  return { folder, env };
}

async function typeWithTab(shell: string[], load: string) {
  const { folder: cwd, env } = workplace();
  const terminal = openTerminal(shell, { cwd, env, columns: 200 });
  await terminal.shows('ready: ');
  terminal.press(`${load}; echo load''ed\r`);
  await terminal.shows(/\bloaded/);
  const ran = () => [...terminal.text().matchAll(/^ran:(.*)\r$/gm)].map(([, shown]) => shown);
  for (const [index, line] of lines.entries()) {
    terminal.press(`${line}\t\r`);
    await expect.poll(() => ran().length).toBe(index + 1);
  }
  return ran();
}

const lines = typed.map(([line]) => line);
const expected = typed.map(([, words]) => words.map((word) => `[${word}]`).join(''));

function isThere(shell: string): boolean {
  const found = spawnSync(shell, ['--version']).status === 0;
  if (!found) console.warn(`${shell} is not installed here: the test of its completion is skipped.`);
  return found;
}

it.runIf(isThere('bash'))('completion works in bash at a terminal', async () => {
  const shell = ['bash', '--norc', '--noprofile', '-i'];
  expect(await typeWithTab(shell, 'eval "$(vals completion bash)"')).toEqual(expected);
});

it.runIf(isThere('zsh'))('completion works in zsh at a terminal', async () => {
  expect(await typeWithTab(['zsh', '-f', '-i'], 'eval "$(vals completion zsh)"')).toEqual(expected);
});

it.runIf(isThere('fish'))('completion works in fish', async () => {
  const script = `
    vals completion fish | source
    for line in $argv
      echo (complete -C $line | string replace -r '\\t.*' '' | string join '|')
    end`;
  const { folder: cwd, env } = workplace();
  const { stdout, stderr } = await execa('fish', ['-c', script, ...lines], { cwd, env, extendEnv: false });
  expect(stderr).toBe('');
  const offered = typed.map(([line, words]) => (line.endsWith(` ${words.at(-1)}`) ? '' : words.at(-1)));
  expect(stdout.split('\n')).toEqual(offered);
});

describe('vals completion', () => {
  it.each(shells)('%s: the prepared script is the one that the program prints', async (shell) => {
    const prepared = await readFile(`dist/prepared/completion-${shell}.txt`, 'utf8');
    expect(await run(['completion', shell])).toMatchObject({ exit: 0, stdout: prepared, stderr: '' });
  });

  it('offers no name that a shell could run', async () => {
    const home = temporaryFolder();
    const { env, edit } = await startStrict({ list: true });
    for (const name of [...hostileNames, 'plain']) edit(name, 'code');
    await run(['ls'], { env, home });
    const { exit, stdout, stderr } = await run(['__complete', 'val', 'rm', ''], { env, home });
    expect({ exit, stderr }).toEqual({ exit: 0, stderr: '' });
    expect(stdout.replaceAll('\t', '').split('\n')).toEqual(['plain', '']);
  });

  it('offers the vals that this machine has seen, without a request', async () => {
    const service = await startStrict();
    const cwd = folderOf({ 'greet.ts': 'export default () => 1;', 'notes.md': '' });
    const home = temporaryFolder();
    const vals = (...args: string[]) => run(args, { env: service.env, cwd, home });
    await vals('push', 'greet.ts');
    const sent = service.requests.length;
    const complete = async (...words: string[]) =>
      (await vals('__complete', ...words)).stdout.match(/^[^\t\n]+/gm);
    expect(await complete('val', 'get', '')).toEqual(['greet']);
    expect(await complete('runs', '')).toEqual(['greet']);
    // The shell completes files by itself.
    if (has('run')) expect(await complete('run', './gr')).toBeNull();
    expect(service.requests).toHaveLength(sent);
  });
});

it.each<[line: string, words: string[], offersVals?: boolean]>([
  ['ru', has('run') ? ['runs', 'run'] : ['runs']],
  ['version ', ['ls', 'get', 'diff', 'new', 'restore', 'rm', 'help']],
  ['val get --re', ['--readme']],
  ['val create one --privacy unl', ['unlisted']],
  ['push ', []],
  ['val rm x ', [], true],
  ...(has('run') ? [['run -- --a', [], true] satisfies [string, string[], boolean]] : []),
])('after `vals %s` is one of %j', async (line, words, offersVals = false) => {
  const typedWords = line.split(' ');
  const next = await completions(commandTree, typedWords.slice(0, -1), typedWords.at(-1) ?? '');
  expect(next.candidates.map(({ word }) => word)).toEqual(words);
  expect(next.offersVals).toBe(offersVals);
});
