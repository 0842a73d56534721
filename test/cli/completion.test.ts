// Completion as users have it: the real shells, with nothing else installed for it.
import { chmodSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { spawn } from '@lydell/node-pty';
import { execa } from 'execa';
import { describe, expect, it, onTestFinished } from 'vitest';
import { placesOf } from '../../src/cli/completion/places.ts';
import { commandTree } from '../../src/commands/index.ts';
import { describeWith } from '../support/installed.ts';
import { environment, program, run, temporaryFolder } from '../support/program.ts';

/** What is typed before TAB, and the arguments of the command that Enter then runs. */
const typed: [string, string[]][] = [
  ['vals lik', ['likes']],
  ['vals comp', ['completion']],
  ['vals vers', ['version']],
  ['vals version li', ['version', 'list']],
  ['vals val del', ['val', 'delete']],
  ['vals push --concu', ['push', '--concurrency']],
  ['vals val push --concu', ['val', 'push', '--concurrency']],
  ['vals runs --no-e', ['runs', '--no-error']],
  ['vals --base-url me comments --ndj', ['--base-url', 'me', 'comments', '--ndjson']],
  ['vals comments --relationship gi', ['comments', '--relationship', 'given']],
  ['vals comments --relationship=gi', ['comments', '--relationship=given']],
  [
    'vals comments --since 2h --relationship rec',
    ['comments', '--since', '2h', '--relationship', 'received'],
  ],
  ['vals val create one --privacy unl', ['val', 'create', 'one', '--privacy', 'unlisted']],
  ['vals completion fi', ['completion', 'fish']],
  ['vals push he', ['push', 'hello.ts']],
  ['vals push hello.ts tw', ['push', 'hello.ts', 'two words.ts']],
  ['vals val create one he', ['val', 'create', 'one', 'hello.ts']],
  ['vals val create one --readme tw', ['val', 'create', 'one', '--readme', 'two words.ts']],
  ['vals serve --seed he', ['serve', '--seed', 'hello.ts']],
  ['vals val get he', ['val', 'get', 'hello.ts']],
  ['vals val get gre', ['val', 'get', 'greeting']],
  ['vals runs --val gre', ['runs', '--val', 'greeting']],
  // Where only the user knows what comes, nothing is made up.
  ['vals val create he', ['val', 'create', 'he']],
  ['vals push --name he', ['push', '--name', 'he']],
  ['vals me he', ['me', 'he']],
];

/** A folder with files to name, a `vals` that knows a val and says how it was called, and the environment for a shell. */
function workplace() {
  const folder = temporaryFolder();
  const bin = join(folder, '.bin');
  const log = join(folder, '.log');
  mkdirSync(bin);
  for (const name of ['hello.ts', 'two words.ts']) writeFileSync(join(folder, name), '');
  writeFileSync(
    join(bin, 'vals'),
    `#!/bin/sh
echo "$*" >> '${log}'
case "$*" in
  'completion names') echo greeting; exit ;;
  'completion bash' | 'completion zsh' | 'completion fish')
    test -n "$COMPLETED" || exec '${process.execPath}' '${program}' "$@" ;;
esac
printf 'ran:'; printf '[%s]' "$@"; printf '\\n'
`,
  );
  chmodSync(join(bin, 'vals'), 0o755);
  const env = environment(folder, { PATH: `${bin}:${process.env.PATH}`, TERM: 'xterm', PS1: 'ready: ' });
  return { folder, env, calls: () => readFileSync(log, 'utf8').trim().split('\n') };
}

/** Types lines, each with TAB before Enter, and gives back what ran. */
async function typeWithTab(shell: string, args: string[], load: string, lines: readonly string[]) {
  const { folder, env, calls } = workplace();
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
  return { ran, calls: calls() };
}

const asShown = (words: readonly string[]): string => words.map((word) => `[${word}]`).join('');

describeWith('bash', 'in bash', (bash) => {
  it('completes at a terminal', async () => {
    const load = 'eval "$(vals completion bash)"';
    const lines = typed.map(([line]) => line);
    const { ran, calls } = await typeWithTab(bash, ['--norc', '--noprofile', '-i'], load, lines);
    expect(ran).toEqual(typed.map(([, words]) => asShown(words)));
    expect(calls.filter((call) => call.startsWith('completion '))).toEqual([
      'completion bash',
      'completion fish',
      ...Array(3).fill('completion names'),
    ]);
  });

  it.each([
    [
      ['vals', ''],
      ['push', 'me', 'val', 'version', 'completion'],
    ],
    [
      ['vals', 'version', ''],
      ['ls', 'list', 'new', 'get', 'rm', 'delete'],
    ],
    [
      ['vals', 'val', 'get', '--'],
      ['--code', '--readme', '--json', '--help'],
    ],
    [
      ['vals', 'comments', '--relationship', '='],
      ['any', 'given', 'received'],
    ],
    [
      ['vals', 'comments', '--relationship', '=', 'given', '-'],
      ['--since', '--json', '-h'],
    ],
    [
      ['vals', '-'],
      ['--version', '--help'],
    ],
  ])('offers for %j all there is', async (words, offered) => {
    const { folder, env } = workplace();
    const script = `
      set -u
      eval "$(vals completion bash)"
      COMP_WORDS=("$@")
      COMP_CWORD=$(($# - 1))
      _vals
      printf '%s\\n' "\${COMPREPLY[@]}"`;
    const { stdout, stderr } = await execa(bash, ['--norc', '-c', script, 'bash', ...words], {
      cwd: folder,
      env,
      extendEnv: false,
    });
    expect(stderr).toBe('');
    expect(stdout.split('\n')).toEqual(expect.arrayContaining(offered));
  });
});

describeWith('zsh', 'in zsh', (zsh) => {
  it('completes at a terminal', async () => {
    const load = 'eval "$(vals completion zsh)"';
    const { ran, calls } = await typeWithTab(
      zsh,
      ['-f', '-i'],
      load,
      typed.map(([line]) => line),
    );
    expect(ran).toEqual(typed.map(([, words]) => asShown(words)));
    expect(calls.filter((call) => call.startsWith('completion '))).toEqual([
      'completion zsh',
      'completion fish',
      ...Array(3).fill('completion names'),
    ]);
  });
});

describeWith('fish', 'in fish', (fish) => {
  it('completes', async () => {
    const { folder, env } = workplace();
    const script = `
      vals completion fish | source
      for line in $argv
        echo (complete -C $line | string replace -r '\\t.*' '' | string join '|')
      end`;
    const { stdout, stderr } = await execa(fish, ['-c', script, ...typed.map(([line]) => line)], {
      cwd: folder,
      env,
      extendEnv: false,
    });
    expect(stderr).toBe('');
    const offered = typed.map(([line, words]) => (line.endsWith(` ${words.at(-1)}`) ? '' : words.at(-1)));
    expect(stdout.split('\n')).toEqual(offered);
  });
});

describe('vals completion', () => {
  it.each(['bash', 'zsh', 'fish'])('%s: prepared or not, the script is the same', async (shell) => {
    const prepared = await run(['completion', shell]);
    const made = await run(['completion', shell, '--no-color']);
    expect(prepared).toMatchObject({ exit: 0, stderr: '' });
    expect(made).toEqual(prepared);
  });

  it('knows no other shell', async () => {
    const { exit, stdout, stderr } = await run(['completion', 'tcsh']);
    expect({ exit, stdout }).toEqual({ exit: 2, stdout: '' });
    expect(stderr).toContain('bash, zsh, fish');
  });

  it('knows what fills each option and argument that names a file or a val', () => {
    const filled = placesOf(commandTree).places.flatMap((place) => [
      ...place.options.map(({ names, filler }) => [`${place.path} ${names.join()}`, filler]),
      ...place.arguments.map((filler, index) => [`${place.path} ${index}`, filler]),
    ]);
    expect(Object.fromEntries(filled)).toMatchObject({
      'push 0': 'file',
      'val create 1': 'file',
      'val create --readme': 'file',
      'serve --data': 'file',
      'serve --seed': 'file',
      'runs --val': 'val',
      'val rm 0': 'val',
      'version new 0': 'val',
      'version new 1': 'file',
    });
  });
});
