import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { execa } from 'execa';
import { expect, it } from 'vitest';
import { parseCommandLine } from '../../../src/core/command-line/parse-command-line.ts';
import { createHintWriter, quoteFor } from '../../../src/core/command-line/write-hints.ts';
import { type CommandWords, type Hints, sh } from '../../../src/core/lib/hint.ts';
import type { Flags } from '../../../src/core/settings/settings.ts';
import { commandPaths, commandTree } from '../../../src/main.ts';
import { hasAll } from '../../support/features.ts';
import { folderOf, run } from '../../support/program.ts';
import { startStrict } from '../../support/strict-service.ts';

const writer = (flags: Flags = {}, platform: NodeJS.Platform = 'linux') =>
  createHintWriter({ platform, flags });

const tryIt = sh`To try it, run ${['push', 'a b.ts', '--dry-run']}.`;

it.each<[Hints, string]>([
  [tryIt, "To try it, run `vals push 'a b.ts' --dry-run`."],
  [
    ['Nothing was sent.', sh`To see it, run ${['val', 'get', 'x', '--code']}.`],
    'Nothing was sent. To see it, run `vals val get x --code`.',
  ],
])('%j is written as %j', (hints, written) => {
  expect(writer()(hints)).toBe(written);
});

it.each<[CommandWords, Flags, string]>([
  [['push', 'a b.ts', '--dry-run'], { local: true }, "vals --local push 'a b.ts' --dry-run"],
  [
    ['push', 'a b.ts', '--dry-run'],
    { baseUrl: 'http://10.0.0.1/@acme', allowHttp: true },
    "vals --base-url http://10.0.0.1/@acme --allow-http push 'a b.ts' --dry-run",
  ],
  [['val', 'get', 'x', '--base-url', 'a.dev'], { baseUrl: 'b.dev' }, 'vals val get x --base-url a.dev'],
  [['me'], { baseUrl: 'https://ada:secret@vals.dev' }, 'vals me'],
])('%j with the flags %j: `%s`', (words, flags, line) => {
  expect(writer(flags)(sh`${words}`)).toBe(`\`${line}\``);
});

it('a hint in the log of a job on GitHub names the service, because somebody else types it', async () => {
  const service = await startStrict({ list: true });
  const hintWith = async (env: Record<string, string>) =>
    (await run(['val', 'get', 'nothing'], { env: { ...service.env, ...env } })).stderr;
  expect(await hintWith({})).toContain('run `vals ls`.');
  expect(await hintWith({ GITHUB_ACTIONS: 'true' })).toContain(
    `run \`vals --base-url ${service.baseUrl} ls\`.`,
  );
});

it('a shell reads a quoted word as one unchanged word', async () => {
  const words = ['hello.ts', ';touch x;', "it's", '$(touch x)', '`touch x`', 'a b', '~', '*', ''];
  words.push('\\', "\\'", "\\\\'a\\b", '"', 'ä', '=deploy');
  const script = `printf '%s\n' ${words.map(quoteFor('linux')).join(' ')}`;
  expect((await execa('sh', ['-c', script])).stdout.split('\n')).toEqual(words);
});

it("a hint shows the user's own words, in quotes, and the error keeps the id", async () => {
  const { env, edit } = await startStrict({ list: true });
  const { id } = edit('my val', 'code');
  const { exit, error } = await run(['version', 'get', 'my val', '9', '--json'], { env });
  expect({ exit, error }).toMatchObject({
    exit: 3,
    error: {
      message: expect.stringContaining('val my val.'),
      hint: expect.stringContaining("`vals version ls 'my val'`"),
      path: `/v1/vals/${id}/versions/9`,
    },
  });
  const cwd = folderOf({ 'a b.ts': 'x' });
  edit('taken', 'code');
  const taken = await run(['val', 'create', 'taken', 'a b.ts', '--json'], { env, cwd });
  expect(taken.error?.hint).toContain("`vals version new taken 'a b.ts'`.");
});

const files = readdirSync('src', { recursive: true, encoding: 'utf8' }).filter((file) =>
  file.endsWith('.ts'),
);
/** The words of each command in a hint. What is known only at run time is undefined. */
const commands = files.flatMap((file) => {
  const source = readFileSync(join('src', file), 'utf8');
  return [
    ...source.matchAll(/\bsh`(?:[^`\\$]|\\.|\$(?!\{)|\$\{(?:[^{}`]|\{[^{}]*\}|`[^`]*`)*\})*`/gs),
  ].flatMap(([hint]) =>
    [...hint.matchAll(/\$\{\[([^\]]*(?:\[[^\]]*\][^\]]*)*)\]\}/gs)].map(([, list = '']) => ({
      file,
      words: wordsIn(list),
    })),
  );
});

function wordsIn(list: string): (string | undefined)[] {
  const parts = list.split(/,(?=(?:[^'`]*['`][^'`]*['`])*[^'`]*$)/).map((part) => part.trim());
  return parts
    .filter((part) => part !== '')
    .map((part) => (part.startsWith('...') ? '...' : /^'([^']*)'$/.exec(part)?.[1]));
}

/** A number is accepted as a name or a path, too. Only usernames need a letter. Words that are spread may be none. */
async function parses(words: readonly (string | undefined)[], sample: string): Promise<boolean> {
  const variants = [
    words.filter((word) => word !== '...'),
    words.map((word) => word?.replace('...', sample)),
  ];
  for (const variant of variants) {
    const argv = variant.map((word) => (word === undefined || word.startsWith('<') ? sample : word));
    if ((await parseCommandLine(argv, commandTree, 80)).kind === 'command') return true;
  }
  return false;
}

it('each hint of the program has a command that exists', async () => {
  const literal = commands.filter(({ words: [first = '...'] }) => first !== '...');
  expect(literal.length).toBeGreaterThan(hasAll ? 80 : 50);
  for (const { file, words } of literal) {
    if (!hasAll && !commandPaths().includes(words[0] ?? '')) continue;
    const isCommand = (await parses(words, '1')) || (await parses(words, 'a'));
    expect({ file, words, isCommand }).toEqual({ file, words, isCommand: true });
  }
});
