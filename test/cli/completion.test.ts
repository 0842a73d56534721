import { chmodSync, closeSync, constants, mkdirSync, openSync, writeFileSync } from 'node:fs';
import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { spawn } from '@lydell/node-pty';
import { execa } from 'execa';
import { describe, expect, it, onTestFinished } from 'vitest';
import { argument, defineCommand, toggle, val, word } from '../../src/cli/command.ts';
import { loadTree } from '../../src/cli/command-tree.ts';
import { completions } from '../../src/cli/completion/completions.ts';
import { filesLine, shells } from '../../src/cli/completion/scripts.ts';
import { commandTree } from '../../src/commands/index.ts';
import { type InProcessOptions, inProcess } from '../support/in-process.ts';
import { describeWith } from '../support/installed.ts';
import { environment, makeNamedPipe, program, run, temporaryFolder } from '../support/program.ts';

const typed: [lineBeforeTab: string, argsThatRun: string[]][] = [
  ['vals vers', ['version']],
  ['vals version li', ['version', 'list']],
  ['vals --base-url me comments --ndj', ['--base-url', 'me', 'comments', '--ndjson']],
  ['vals comments --relationship gi', ['comments', '--relationship', 'given']],
  ['vals comments --relationship=gi', ['comments', '--relationship=given']],
  [
    'vals comments --since 10:30 --relationship rec',
    ['comments', '--since', '10:30', '--relationship', 'received'],
  ],
  ['vals push hello.ts tw', ['push', 'hello.ts', 'two words.ts']],
  ['vals push -- he', ['push', '--', 'hello.ts']],
  ["vals push 'two words.ts' he", ['push', 'two words.ts', 'hello.ts']],
  ['vals val create one --readme=tw', ['val', 'create', 'one', '--readme=two words.ts']],
  ['vals val rm deep gre', ['val', 'rm', 'deep', 'greeting']],
  ['vals runs --val=gre', ['runs', '--val=greeting']],
  ['vals val get he', ['val', 'get', 'hello.ts']],
  ['vals val get ./he', ['val', 'get', './hello.ts']],
  ['vals val get sub/', ['val', 'get', 'sub/deep.ts']],
  ['vals val get tw', ['val', 'get', 'tw']],
  ['vals use ht', ['use', 'http://127.0.0.1:4000']],
  ['vals use http:', ['use', 'http://127.0.0.1:4000']],
  ['vals use http://127.0.0.1:4', ['use', 'http://127.0.0.1:4000']],
  ['vals copy --all --to htt', ['copy', '--all', '--to', 'http://127.0.0.1:4000']],
  ['vals val create he', ['val', 'create', 'he']],
  ['vals push --name he', ['push', '--name', 'he']],
  ['vals me he', ['me', 'he']],
];

const hostileNames = [
  '$(touch ran)',
  '`touch ran`',
  ';touch ran',
  '-rf',
  'a b',
  '~',
  '*',
  "gre'",
  'gre\u001b[2J',
];

function workplace() {
  const folder = temporaryFolder();
  const bin = join(folder, '.bin');
  mkdirSync(bin);
  for (const name of ['hello.ts', 'two words.ts']) writeFileSync(join(folder, name), '');
  const names = { 'hello.ts': 'greeting', 'sub/deep.ts': 'deep' };
  const hostile = hostileNames.map((name, index) => [`hostile ${index}.ts`, { name }]);
  const vals = Object.entries(names).map(([file, name]) => [file, { name }]);
  writeFileSync(
    join(folder, 'vals.json'),
    JSON.stringify({ vals: Object.fromEntries([...vals, ...hostile]) }),
  );
  const config = { baseUrl: 'http://127.0.0.1:4000', tokens: { 'http://127.0.0.1:4000': 'token-of-mine' } };
  writeFileSync(join(bin, 'config.json'), JSON.stringify(config), { mode: 0o600 });
  const env = environment(folder, {
    PATH: `${bin}:${process.env.PATH}`,
    TERM: 'xterm',
    PS1: 'ready: ',
    VALS_CONFIG_DIR: bin,
  });
  const [asked, answered] = answerInProcess(bin, { env, cwd: folder });
  writeFileSync(
    join(bin, 'vals'),
    `#!/bin/sh
case "$1" in
  __complete) printf '%s\\0' "$@" > '${asked}'; exec cat '${answered}' ;;
  completion) test -n "$COMPLETED" || exec '${process.execPath}' '${program}' "$@" ;;
esac
printf 'ran:'; printf '[%s]' "$@"; printf '\\n'
`,
  );
  chmodSync(join(bin, 'vals'), 0o755);
  return { folder, env };
}

function answerInProcess(folder: string, options: InProcessOptions): [asked: string, answered: string] {
  const asked = join(folder, 'asked');
  const answered = join(folder, 'answered');
  for (const pipe of [asked, answered]) makeNamedPipe(pipe);
  const answerAll = async () => {
    for (;;) {
      const words = (await readFile(asked, 'utf8')).split('\0').slice(0, -1);
      if (words.length === 0) return;
      await writeFile(answered, (await inProcess(words, options)).stdout);
    }
  };
  let isOver = false;
  void answerAll().then(() => {
    isOver = true;
  });
  onTestFinished(async () => {
    // A process may still wait until somebody opens `asked` or `answered`, so the loop opens and closes each pipe.
    while (!isOver) {
      for (const pipe of [answered, asked])
        closeSync(openSync(pipe, constants.O_RDWR | constants.O_NONBLOCK));
      await nextTurn();
    }
  });
  return [asked, answered];
}

async function typeWithTab(shell: string, args: string[], load: string, lines: readonly string[]) {
  const { folder, env } = workplace();
  const terminal = spawn(shell, args, { cols: 200, rows: 50, cwd: folder, env });
  onTestFinished(() => terminal.kill('SIGKILL'));
  let screen = '';
  let onOutput = () => {};
  terminal.onData((data) => {
    screen += data;
    onOutput();
  });
  const appears = (pattern: RegExp) =>
    new Promise<RegExpExecArray>((resolve) => {
      onOutput = () => {
        const found = pattern.exec(screen);
        if (found) resolve(found);
      };
      onOutput();
    });
  await appears(/ready: /);
  terminal.write(`${load}; export COMPLETED=1; echo load''ed\r`);
  await appears(/\bloaded/);
  const ran: string[] = [];
  for (const line of lines) {
    screen = '';
    terminal.write(`${line}\t\r`);
    const [, shown = ''] = await appears(/^ran:(.*)\r$/m);
    ran.push(shown);
  }
  return ran;
}

const asShown = (words: readonly string[]): string => words.map((word) => `[${word}]`).join('');

function runShell(shell: string, args: readonly string[]) {
  const { folder, env } = workplace();
  return execa(shell, args, { cwd: folder, env, extendEnv: false });
}

const lines = typed.map(([line]) => line);
const expected = typed.map(([, words]) => asShown(words));

describeWith('bash', 'completion in bash', (bash) => {
  const args = ['--norc', '--noprofile', '-i'];
  const load = 'eval "$(vals completion bash)"';

  it('works at a terminal', async () => {
    expect(await typeWithTab(bash, args, load, lines)).toEqual(expected);
  });

  it('works for files without compopt, which bash 3 does not have', async () => {
    const files = typed.filter(([line]) => /push .*tw|get sub|readme/.test(line));
    const ran = await typeWithTab(
      bash,
      args,
      `enable -n compopt; ${load}`,
      files.map(([line]) => line),
    );
    expect(ran).toEqual(files.map(([, words]) => asShown(words)));
  });

  it('offers an address with brackets as it is, whatever files there are', async () => {
    const script = `
      eval "$(vals completion bash)"
      mkdir http:
      touch http:/1:4000
      vals() { echo 'http://[::1]:4000'; }
      COMP_WORDS=(vals use '')
      COMP_CWORD=2
      _vals
      echo "\${COMPREPLY[*]}"`;
    expect((await runShell(bash, ['--norc', '-c', script])).stdout).toBe('http://[::1]:4000');
  });

  const offers: [words: string, offered: string][] = [
    ['vals|', 'push me val version completion help'],
    ['vals|version|', 'ls list new get rm delete'],
    ['vals|val|get|--', '--code --readme --json --help'],
    ['vals|comments|--relationship|=', 'any given received'],
    ['vals|comments|--relationship|=|given|-', '--since --json -h'],
    ['vals|-', '--version -V --help'],
  ];
  it('offers commands, options and values', async () => {
    const script = `
      set -u
      eval "$(vals completion bash)"
      offer() {
        COMP_WORDS=("$@")
        COMP_CWORD=$(($# - 1))
        _vals
        echo "\${COMPREPLY[*]}"
      }
      ${offers.map(([words]) => `offer '${words.replaceAll('|', "' '")}'`).join('\n')}`;
    const { stdout, stderr } = await runShell(bash, ['--norc', '-c', script]);
    expect(stderr).toBe('');
    const shown = stdout.split('\n').map((line) => line.trim().split(/ +/));
    expect(shown).toEqual(offers.map(([, offered]) => expect.arrayContaining(offered.split(' '))));
  });
});

describeWith('zsh', 'completion in zsh', (zsh) => {
  it('works at a terminal', async () => {
    expect(await typeWithTab(zsh, ['-f', '-i'], 'eval "$(vals completion zsh)"', lines)).toEqual(expected);
  });
});

describeWith('fish', 'completion in fish', (fish) => {
  it('works', async () => {
    const script = `
      vals completion fish | source
      for line in $argv
        echo (complete -C $line | string replace -r '\\t.*' '' | string join '|')
      end`;
    const { stdout, stderr } = await runShell(fish, ['-c', script, ...lines]);
    expect(stderr).toBe('');
    const offered = typed.map(([line, words]) => (line.endsWith(` ${words.at(-1)}`) ? '' : words.at(-1)));
    expect(stdout.split('\n')).toEqual(offered);
  });
});

describe('vals completion', () => {
  it.each(shells)('%s: the prepared script is the one that the program prints', async (shell) => {
    const prepared = await readFile(`dist/prepared/completion-${shell}.txt`, 'utf8');
    expect(await run(['completion', shell])).toMatchObject({ exit: 0, stdout: prepared, stderr: '' });
  });

  it('refuses another shell', async () => {
    const { exit, stdout, stderr } = await run(['completion', 'tcsh']);
    expect({ exit, stdout }).toEqual({ exit: 2, stdout: '' });
    expect(stderr).toContain('bash, zsh, fish');
  });

  it.each(shells)('%s: offers no name that the shell could run', async (shell) => {
    const { folder } = workplace();
    const { exit, stdout, stderr } = await run(['__complete', shell, 'val', 'rm', ''], { cwd: folder });
    expect({ exit, stderr }).toEqual({ exit: 0, stderr: '' });
    expect(stdout.replaceAll('\t', '').split('\n')).toEqual(['greeting', 'deep', '']);
  });

  it('offers no vals outside of a workspace, or if vals.json is broken', async () => {
    const folder = temporaryFolder();
    const ask = () => run(['__complete', 'fish', 'val', 'get', ''], { cwd: folder });
    expect(await ask()).toMatchObject({ exit: 0, stdout: '', stderr: '' });
    writeFileSync(join(folder, 'vals.json'), 'no JSON');
    expect(await ask()).toMatchObject({ exit: 0, stdout: '', stderr: '' });
  });

  it('offers a file before a val of the same name', async () => {
    const folder = temporaryFolder();
    writeFileSync(join(folder, 'vals.json'), JSON.stringify({ vals: { 'sub/x.ts': { name: 'forecast' } } }));
    const complete = async () => (await run(['__complete', 'fish', 'run', 'fore'], { cwd: folder })).stdout;
    expect(await complete()).toBe('forecast\t\n');
    writeFileSync(join(folder, 'forecast.ts'), '');
    expect(await complete()).toBe(`${filesLine}\n`);
  });

  it('does not show the hidden command __complete', async () => {
    for (const words of [[], ['completion', '--help'], ['__complete', 'fish', '']]) {
      const { stdout } = await run(words);
      expect(stdout).not.toContain('__complete');
    }
  });
});

describe('the next word', async () => {
  const wholeTree = await loadTree(commandTree);
  const tried = defineCommand({
    summary: 'Try',
    passesThrough: true,
    arguments: { val: val('<val|file>', 'what'), args: argument('[args...]', 'the rest') },
    options: {
      at: word('--at <version>', 'a version'),
      all: toggle('--all', 'all'),
      few: toggle('--few', 'few', { conflicts: ['all'] }),
      kind: word('--kind <word>', 'a kind', { choices: ['one', 'other'] }),
      readme: word('--readme <file>', 'a file'),
    },
    examples: [],
    columns: [],
    run: () => ({ kind: 'nothing' }),
  });
  const tree = {
    groups: [
      { title: 'All:', commands: [{ ...tried, path: 'try', effect: 'reads' as const, isTool: false }] },
    ],
    topics: {},
    synonyms: {},
  };

  it.each<[string, { words?: string[]; vals?: boolean; files?: boolean; before?: string }]>([
    ['t', { words: ['try'] }],
    ['try ', { vals: true, files: true }],
    ['try --a', { words: ['--at', '--all', '--allow-http'] }],
    ['try --all --a', { words: ['--at', '--allow-http'] }],
    ['try --all --f', { words: ['--fields'] }],
    ['try --at ', {}],
    ['try --kind o', { words: ['one', 'other'] }],
    ['try --kind=on', { words: ['one'], before: '--kind=' }],
    ['try --readme=x', { files: true, before: '--readme=' }],
    ['try --readme x --kin', { words: ['--kind'] }],
    ['try -- --a', { vals: true, files: true }],
    ['try hello.ts --a', {}],
    ['try hello.ts --at ', {}],
    ['try --nonsense ', { vals: true, files: true }],
    ['nonsense ', {}],
    ['nonsense --a', {}],
    ['help t', { words: ['try'] }],
    ['help ', { words: ['try', 'options'] }],
    ['help try ', {}],
  ])('is offered after %j', (line, { words = [], vals = false, files = false, before = '' }) => {
    const typed = line.split(' ');
    const { candidates, ...next } = completions(tree, typed.slice(0, -1), typed.at(-1) ?? '');
    expect(candidates.map(({ word }) => word)).toEqual(words);
    expect(next).toEqual({ offersVals: vals, offersFiles: files, before, offersServices: false });
  });

  it.each<[string, string[]]>([
    ['ru', ['run', 'runs']],
    ['comp', ['completion']],
    ['val del', ['delete']],
    ['push --concu', ['--concurrency']],
    ['val push --concu', ['--concurrency']],
    ['runs --no-e', ['--no-error']],
    ['val create one --privacy unl', ['unlisted']],
    ['completion fi', ['fish']],
    ['api PA', ['PATCH']],
    ['api /x -f a=1 --raw', ['--raw-field']],
    ['help opt', ['options']],
    ['help val ed', ['edit']],
    ['runs --error --no-e', []],
    ['--json me --nd', []],
    ['me --quiet --qu', []],
  ])('after `vals %s` is one of %j', (line, words) => {
    const typed = line.split(' ');
    const { candidates } = completions(wholeTree, typed.slice(0, -1), typed.at(-1) ?? '');
    expect(candidates.map(({ word }) => word)).toEqual(words);
  });

  it.each([
    ['push', 'files'],
    ['val create one', 'files'],
    ['val create --readme', 'files'],
    ['serve --data', 'files'],
    ['serve --seed', 'files'],
    ['version new x', 'files'],
    ['runs --val', 'vals'],
    ['val rm x', 'vals'],
    ['diff', 'vals'],
    ['version new', 'vals'],
  ])('after `vals %s` is one of the %s', (line, kind) => {
    const { offersVals, offersFiles } = completions(wholeTree, line.split(' '), '');
    expect({ offersVals, offersFiles }).toEqual({
      offersVals: kind === 'vals',
      offersFiles: kind === 'files',
    });
  });

  it('has a description', () => {
    const { candidates } = completions(wholeTree, [], 'ver');
    expect(candidates).toEqual([{ word: 'version', description: 'Versions of a val' }]);
  });
});
