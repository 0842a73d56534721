import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { execa } from 'execa';
import { expect, it } from 'vitest';
import { createToolHints } from '../../src/agents/tool-hints.ts';
import { inputName, type OptionDefinition } from '../../src/cli/command.ts';
import { commandNamed, commandsOf, loadTree } from '../../src/cli/command-tree.ts';
import type { Permissions } from '../../src/cli/context.ts';
import { globalOptions } from '../../src/cli/global-options.ts';
import { createShellHints } from '../../src/cli/shell-hints.ts';
import { commandTree } from '../../src/commands/index.ts';
import type { Hints } from '../../src/lib/hint.ts';
import { quoteFor } from '../../src/lib/shell-command.ts';

const tree = await loadTree(commandTree);
const push = commandNamed(tree, 'push');

const shellHints = (platform: NodeJS.Platform = 'linux') =>
  createShellHints({ tree: commandTree, platform, current: push });

function toolHints(permissions: Permissions = {}) {
  if (push === undefined) throw new Error('no command push');
  return createToolHints({
    commands: commandsOf(tree),
    permissions,
    platform: 'linux',
    current: push,
  });
}

const overwrite = { text: 'To overwrite it', command: 'push', input: { paths: ['a b.ts'], force: true } };

it.each<[Hints, string, string]>([
  ['Wait a little.', 'Wait a little.', 'Wait a little.'],
  [
    overwrite,
    "To overwrite it, run `vals push 'a b.ts' --force`.",
    'To overwrite it, call `push {"paths": ["a b.ts"], "force": true}`.',
  ],
  [
    ['Nothing was sent.', { text: 'To see it', command: 'val get', input: { val: 'x', code: true } }],
    'Nothing was sent. To see it, run `vals val get x --code`.',
    'Nothing was sent. To see it, call `val_get {"val": "x", "code": true}`.',
  ],
  [
    { text: 'To list versions', command: 'version ls' },
    'To list versions, run `vals version ls <val>`.',
    'To list versions, call `version_ls {"val": "..."}`.',
  ],
  [
    { text: 'To sign in', command: 'login', input: { baseUrl: true } },
    'To sign in, run `vals login --base-url <url>`.',
    'To sign in, a person has to run `vals login --base-url <url>`.',
  ],
  [
    { text: 'To delete them', command: 'push', input: { prune: true } },
    'To delete them, run `vals push --prune`.',
    'To delete them, a person has to run `vals push --prune`.',
  ],
  [
    { text: 'To see each request', command: 'push', input: { paths: ['-'], name: 'hello' } },
    'To see each request, run `vals push - --name hello`.',
    'To see each request, call `push {"code": "...", "name": "hello"}`.',
  ],
  [
    { text: 'To overwrite it', input: { force: true } },
    'To overwrite it, add --force.',
    'To overwrite it, add the input `{"force": true}`.',
  ],
  [
    { text: 'To choose a name', input: { name: true } },
    'To choose a name, add --name <name>.',
    'To choose a name, add the input `{"name": "..."}`.',
  ],
  [
    { text: 'To send it', command: 'push', input: { paths: ['--force.ts'], dryRun: true } },
    'To send it, run `vals push --dry-run -- --force.ts`.',
    'To send it, call `push {"paths": ["--force.ts"], "dryRun": true}`.',
  ],
])('%j: a person reads %j, an agent %j', async (hints, forPerson, forAgent) => {
  expect(await shellHints().write(hints)).toBe(forPerson);
  expect(await toolHints().write(hints)).toBe(forAgent);
});

it('a hint names a val with the word that the user typed', async () => {
  for (const hints of [shellHints(), toolHints()]) {
    hints.nameVal('4f2c0c1e', 'my val');
    const written = await hints.write({ text: 'To see it', command: 'val get', input: { val: '4f2c0c1e' } });
    expect(written).toContain('my val');
    expect(written).not.toContain('4f2c0c1e');
  }
});

it('options of `vals run` come before the val, because what follows belongs to the val', async () => {
  const hint = { text: 'To give it time', command: 'run', input: { val: 'x', maxTime: 90 } };
  const [key = ''] = Object.keys(commandNamed(tree, 'run')?.arguments ?? {});
  const { val, ...options } = hint.input;
  expect(await shellHints().write({ ...hint, input: { [key]: val, ...options } })).toBe(
    'To give it time, run `vals run --max-time 90 x`.',
  );
});

it.each([
  'hello.ts',
  ';touch x;',
  "it's",
  '$(touch x)',
  '`touch x`',
  'a b',
  '~',
  '*',
  '',
  '\\',
  "\\'",
  "\\\\'a\\b",
  '"',
  'ä',
  '=deploy',
])('a shell reads %j as one unchanged word', async (word) => {
  const quote = quoteFor('linux');
  expect((await execa('sh', ['-c', `printf %s. ${quote(word)} end`])).stdout).toBe(`${word}.end.`);
});

it('no backslash stands before a quote in the quotes, because fish would not end the quotes there', () => {
  expect(quoteFor('linux')("a\\' ; touch x #")).toBe(String.raw`'a'\\''\'' ; touch x #'`);
});

it('on Windows, words are quoted for PowerShell', async () => {
  const quoted = ["it's", 'a$b', '@acme', 'C:\\vals\\a.ts'].map(quoteFor('win32'));
  expect(quoted).toEqual(["'it''s'", "'a$b'", "'@acme'", 'C:\\vals\\a.ts']);
  expect(await shellHints('win32').write(overwrite)).toBe(
    "To overwrite it, run `vals push 'a b.ts' --force`.",
  );
});

it('each hint in the source names a command, with inputs that the command has', () => {
  const files = readdirSync('src', { recursive: true, encoding: 'utf8' }).filter((file) =>
    file.endsWith('.ts'),
  );
  const hints = files.flatMap((file) => {
    const source = readFileSync(join('src', file), 'utf8');
    return [...source.matchAll(/command: '([a-z ]+)',?\s*(?:input: \{([^{}]*)\})?/g)].map(
      ([, path = '', input = '']) => ({ file, path, keys: input.match(/(?<=^\s*|,\s+)[a-zA-Z]+/g) ?? [] }),
    );
  });
  expect(hints.length).toBeGreaterThan(80);
  for (const { file, path, keys } of hints) {
    const command = commandNamed(tree, path);
    const known = [
      ...Object.keys({ ...command?.arguments, ...globalOptions }),
      ...Object.entries<OptionDefinition<unknown>>(command?.options ?? {}).map(([key, option]) =>
        inputName(key, option),
      ),
    ];
    expect([file, path, command !== undefined, keys.filter((key) => !known.includes(key))]).toEqual([
      file,
      path,
      true,
      [],
    ]);
  }
});
