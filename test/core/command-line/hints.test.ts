import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { execa } from 'execa';
import { expect, it } from 'vitest';
import { createToolHints } from '../../../src/agents/tool-hints.ts';
import type { AgentPermissions } from '../../../src/agents/tools.ts';
import { commandNamed, commandsOf, loadTree } from '../../../src/core/command-line/command-tree.ts';
import { globalOptions } from '../../../src/core/command-line/global-options.ts';
import { createShellHints } from '../../../src/core/command-line/shell-hints.ts';
import type { Hint, Hints } from '../../../src/core/lib/hint.ts';
import { quoteFor } from '../../../src/core/lib/shell-command.ts';
import type { Flags } from '../../../src/core/settings/settings.ts';
import { commandTree } from '../../../src/main.ts';
import { connectAgent } from '../../agents/clients.ts';
import { serviceInProcess } from '../../service/support/service-in-process.ts';
import { folderOf, run } from '../../support/program.ts';
import { scriptedService } from '../../support/scripted-service.ts';

const tree = await loadTree(commandTree);
const push = commandNamed(tree, 'push');

const shellHints = (
  platform: NodeJS.Platform = 'linux',
  typedWords = new Map<string, string>(),
  flags: Flags = {},
) => createShellHints({ tree: commandTree, platform, current: push, flags, typedWords });

function toolHints(permissions: AgentPermissions = {}) {
  if (push === undefined) throw new Error('no command push');
  return createToolHints({
    commands: commandsOf(tree),
    permissions,
    platform: 'linux',
    current: push,
    flags: {},
    typedWords: new Map(),
  });
}

const overwrite = { text: 'To overwrite it', command: 'push', input: { paths: ['a b.ts'], force: true } };

it.each<[Hints, string, string]>([
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
    { text: 'To sign in', command: 'login', input: { baseUrl: true } },
    'To sign in, run `vals login <base-url>`.',
    'To sign in, a person has to run `vals login <base-url>`.',
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
    { text: 'To send it', command: 'push', input: { paths: ['--force.ts'], dryRun: true } },
    'To send it, run `vals push --dry-run -- --force.ts`.',
    'To send it, call `push {"paths": ["--force.ts"], "dryRun": true}`.',
  ],
  [
    { text: 'To give it time', command: 'run', input: { val: 'x', maxTime: 90 } },
    'To give it time, run `vals run --max-time 90 x`.',
    'To give it time, a person has to run `vals run --max-time 90 x`.',
  ],
])('%j: a person reads %j, an agent %j', async (hints, forPerson, forAgent) => {
  expect(await shellHints()(hints)).toBe(forPerson);
  expect(await toolHints()(hints)).toBe(forAgent);
});

it('the word that the user typed stands for the id of a val, in a list too', async () => {
  const write = shellHints('linux', new Map([['id', 'hello']]));
  const get = { text: 'To see it', command: 'val get', input: { val: 'id' } };
  const rm = { text: 'To delete it', command: 'val rm', input: { vals: ['id'] } };
  expect(await write([get, rm])).toBe(
    'To see it, run `vals val get hello`. To delete it, run `vals val rm hello`.',
  );
});

it.each<[Hint, Flags, string]>([
  [overwrite, { local: true }, "vals push 'a b.ts' --force --local"],
  [
    overwrite,
    { baseUrl: 'http://10.0.0.1/@acme', allowHttp: true },
    "vals push 'a b.ts' --force --base-url http://10.0.0.1/@acme --allow-http",
  ],
  [
    { text: 'x', command: 'run', input: { val: 'x' } },
    { baseUrl: 'vals.dev' },
    'vals run --base-url vals.dev x',
  ],
  [{ text: 'x', command: 'login' }, { local: true }, 'vals login'],
  [
    { text: 'x', command: 'login', input: { baseUrl: 'vals.dev' } },
    { baseUrl: 'other.dev' },
    'vals login vals.dev',
  ],
  [
    { text: 'x', command: 'user ls', input: { data: 'a.db' } },
    { baseUrl: 'vals.dev' },
    'vals user ls --data a.db',
  ],
  [{ text: 'x', command: 'me' }, { baseUrl: 'https://ada:secret@vals.dev' }, 'vals me'],
])('%j with the flags %j: `%s`', async (hint, flags, line) => {
  expect(await shellHints('linux', new Map(), flags)(hint)).toBe(`${hint.text}, run \`${line}\`.`);
});

it('a shell reads a quoted word as one unchanged word', async () => {
  const words = ['hello.ts', ';touch x;', "it's", '$(touch x)', '`touch x`', 'a b', '~', '*', ''];
  words.push('\\', "\\'", "\\\\'a\\b", '"', 'ä', '=deploy');
  const script = `printf '%s\n' ${words.map(quoteFor('linux')).join(' ')}`;
  expect((await execa('sh', ['-c', script])).stdout.split('\n')).toEqual(words);
});

it('no backslash stands before a quote in the quotes, because fish would not end the quotes there', () => {
  expect(quoteFor('linux')("a\\' ; touch x #")).toBe(String.raw`'a'\\''\'' ; touch x #'`);
});

it('on Windows, words are quoted for cmd.exe and PowerShell, or for PowerShell alone', async () => {
  const quoted = ["it's", 'a$b', '@acme', 'C:\\vals\\a.ts'].map(quoteFor('win32'));
  expect(quoted).toEqual(['"it\'s"', "'a$b'", '"@acme"', 'C:\\vals\\a.ts']);
  expect(await shellHints('win32')(overwrite)).toBe('To overwrite it, run `vals push "a b.ts" --force`.');
});

it("a hint shows the user's own word for a val, in quotes, and the error keeps the id", async () => {
  const id = '4f2c0c1e-6a53-4bd2-9a2e-1f1f3f0b9c11';
  const service = await scriptedService([
    { body: { id: 'u1', username: 'ada' } },
    { body: { data: [{ id, name: 'my val' }] } },
    { body: { data: [] } },
    { status: 404, body: {} },
  ]);
  const { exit, error } = await run(['version', 'get', 'my val', '9', '--json'], { env: service.env });
  expect(exit).toBe(3);
  expect(error?.message).toContain('val my val.');
  expect(error?.hint).toContain("`vals version ls 'my val'`");
  expect(error).toMatchObject({ path: `/v1/vals/${id}/versions/9` });
});

it('a hint for an agent names a tool, or a person', async () => {
  const { env } = await serviceInProcess();
  const cwd = folderOf({ 'vals.json': '{}', 'one.ts': '1', 'two.ts': '2' });
  const agent = await connectAgent(['--allow-run', '--allow-delete'], { env, cwd });
  await agent.call('push', { paths: ['one.ts', 'two.ts'] });
  await agent.call('val_rm', { vals: ['two'] });
  const failing: [string, Record<string, unknown>][] = [
    ['val_get', { val: 'nope' }],
    ['version_get', { val: 'one', version: 9 }],
    ['pull', { vals: ['two.ts'] }],
    ['push', { paths: ['two.ts'] }],
    ['push', { code: 'x' }],
    ['val_create', { name: 'one', code: 'x' }],
    ['run', { val: 'nope' }],
  ];
  for (const [name, input] of failing) {
    const { isError, document } = await agent.call(name, input);
    const text = JSON.stringify(document).replaceAll(/a person has to run `vals [^`]*`/g, '');
    expect([name, isError, text]).toEqual([name, true, expect.not.stringContaining('`vals ')]);
  }
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
    const known = [...Object.keys({ ...command?.arguments, ...command?.options, ...globalOptions })];
    expect([file, path, command !== undefined, keys.filter((key) => !known.includes(key))]).toEqual([
      file,
      path,
      true,
      [],
    ]);
  }
});
