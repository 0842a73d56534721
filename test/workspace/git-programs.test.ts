// git runs no program that a repository names, and gets no token.
import { execFileSync } from 'node:child_process';
import { cpSync, existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { temporaryFolder } from '../support/program.ts';
import { startStrict } from '../support/strict-service.ts';
import { type Clone, type Env, repository, withEverything } from './places.ts';

const lines = (...changed: number[]) =>
  Array.from({ length: 9 }, (_, at) => `// ${at}${changed.includes(at) ? ' changed' : ''}\n`).join('');

/** Programs that write down that they ran: one that a repository names, and a git that then does what git does. */
function programs() {
  const folder = temporaryFolder();
  const mark = join(folder, 'mark');
  const calls = join(folder, 'calls');
  const git = execFileSync('which', ['git'], { encoding: 'utf8' }).trim();
  const script = (name: string, text: string) =>
    writeFileSync(join(folder, name), `#!/bin/sh\n${text}\n`, { mode: 0o755 });
  script('trap.sh', `echo "$0 $*" >> ${mark}`);
  script('git', `echo "$*" >> ${calls}\nenv >> ${calls}.env\nexec ${git} "$@"`);
  return {
    trap: join(folder, 'trap.sh'),
    hasRun: () => existsSync(mark),
    env: { PATH: `${folder}:${process.env.PATH}`, GIT_EXTERNAL_DIFF: join(folder, 'trap.sh') },
    /** The commands of git that were used. */
    used: () => new Set(readFileSync(calls, 'utf8').match(/(?<= )(?:[a-z]+-[a-z]+|log)(?= )/g)),
    environment: () => readFileSync(`${calls}.env`, 'utf8'),
  };
}

type Programs = ReturnType<typeof programs>;

/** Its last commit has a signature, and a val that differs on both sides, and one without its file, ask git for everything. */
async function workspace() {
  const service = await startStrict(withEverything);
  const clone = repository(service.env, { 'vals/vals.json': '{}', 'vals/x.ts': lines(), 'vals/y.ts': '1' });
  clone.commit({ 'vals/gone.ts': 'gone', '.gitattributes': '* diff=trap filter=trap merge=trap\n' });
  await clone.at('vals').rows(['push', '--yes']);
  clone.commit({ 'vals/x.ts': lines(7), 'vals/y.ts': '2', 'vals/z.ts': '3', 'vals/gone.ts': undefined });
  service.edit('x', lines(2));
  service.edit('z', '4');
  const [tree, parent] = ['HEAD^{tree}', 'HEAD'].map((name) => clone.git('rev-parse', name).trim());
  const person = 'Ann <ann@example.com> 1900000000 +0000';
  clone.put({
    signed: `tree ${tree}\nparent ${parent}\nauthor ${person}\ncommitter ${person}\ngpgsig -----BEGIN PGP SIGNATURE-----\n \n x\n -----END PGP SIGNATURE-----\n\nsigned\n`,
  });
  clone.git('update-ref', 'HEAD', clone.git('hash-object', '-t', 'commit', '-w', 'signed').trim());
  clone.remove('signed');
  return { clone, service };
}

/** Everything for which vals asks git. */
async function useAll(clone: Clone, { env, used }: Programs): Promise<void> {
  const place = clone.at('vals', env);
  expect(await place.words(['status'])).toEqual({
    'gone.ts': 'missing here',
    'x.ts': 'conflict',
    'y.ts': 'changed here',
    'z.ts': 'conflict',
  });
  await place.rows(['push', '--prune', '--dry-run'], 9);
  expect(await place.vals('val', 'get', 'gone.ts', '--code')).toMatchObject({ exit: 0, stdout: 'gone' });
  expect(await place.vals('val', 'get', './never.ts')).toMatchObject({ exit: 3 });
  expect(await place.words(['pull', 'x.ts', '--merge'])).toEqual({ 'x.ts': 'merged' });
  place.put({ 'x.ts': lines(7) });
  const all = [
    'cat-file',
    'check-attr',
    'log',
    'ls-files',
    'ls-tree',
    'merge-base',
    'merge-file',
    'rev-list',
    'rev-parse',
  ];
  expect([...used()].sort()).toEqual(all);
}

type Settings = (trap: string) => Record<string, string>;

const fetching: Settings = (trap) => ({
  'core.repositoryFormatVersion': '1',
  'extensions.partialClone': 'origin',
  'remote.origin.promisor': 'true',
  'remote.origin.url': `ext::${trap}`,
  'protocol.allow': 'always',
  'protocol.ext.allow': 'always',
});

const signing: Settings = (trap) => ({ 'log.showSignature': 'true', 'gpg.program': trap });

const unknownId = '0123456789'.repeat(4);

const traps: [what: string, settings: Settings, ...springs: string[]][] = [
  ['a signature program', signing, 'log', '-1'],
  ['a monitor', (trap) => ({ 'core.fsmonitor': trap }), 'ls-files'],
  ['a program for differences', (trap) => ({ 'diff.external': trap }), 'log', '-p', '--ext-diff'],
  ['a conversion of texts', (trap) => ({ 'diff.trap.textconv': trap }), 'log', '-p'],
  ['a filter', (trap) => ({ 'filter.trap.clean': trap }), 'add', '--renormalize', '.'],
  ['a hook', (trap) => ({ 'core.hooksPath': join(trap, '..', 'hooks') }), 'commit', '--allow-empty', '-mx'],
  ['a program that fetches', fetching, 'cat-file', '-e', unknownId],
  [
    'a program instead of ssh',
    (trap) => ({ ...fetching(trap), 'core.sshCommand': trap, 'remote.origin.url': 'ssh://git.test/x' }),
    'cat-file',
    '-e',
    unknownId,
  ],
];

test.each(
  traps.flatMap(([what, ...more]) => [
    { what, of: 'its config', more },
    { what, of: 'a file that its config includes', more },
  ]),
)('git runs no $what of $of', async ({ of, more: [settings, ...springs] }) => {
  const { clone } = await workspace();
  const spy = programs();
  const file = of === 'its config' ? '.git/config' : 'settings';
  for (const [key, value] of Object.entries(settings(spy.trap)))
    clone.git('config', '--file', file, key, value);
  if (file === 'settings') clone.git('config', 'include.path', '../settings');
  cpSync(spy.trap, join(spy.trap, '../hooks/pre-commit'));
  await useAll(clone, spy);
  expect(spy.hasRun()).toBe(false);
  clone.tryGit(...springs);
  expect(spy.hasRun()).toBe(true);
});

test.each([
  ['a signature program', signing, ['log', '-1']],
  ['a program that fetches', fetching, ['cat-file', '-e', unknownId]],
])('git takes no repository inside of the repository, with %s', async (_what, settings, springs) => {
  const { clone } = await workspace();
  const spy = programs();
  const bare = join(temporaryFolder(), 'bare');
  clone.git('clone', '-q', '--bare', clone.folder, bare);
  cpSync(bare, join(clone.folder, 'vals'), { recursive: true });
  for (const [key, value] of Object.entries(settings(spy.trap)))
    clone.git('config', '--file', 'vals/config', key, value);
  clone.commit();
  await useAll(clone, spy);
  expect(spy.hasRun()).toBe(false);
  clone.tryGit('-C', 'vals', ...springs);
  expect(spy.hasRun()).toBe(true);
});

test('a folder that looks like a bare repository, with a .git that is none, has no history', async () => {
  const { clone } = await workspace();
  const bare = join(temporaryFolder(), 'bare');
  clone.git('clone', '-q', '--bare', clone.folder, bare);
  clone.remove('.git');
  cpSync(bare, clone.folder, { recursive: true });
  mkdirSync(join(clone.folder, '.git'));
  expect(clone.git('log', '-1', '--format=%s')).toBe('signed\n');
  expect(await clone.at('vals').status()).toEqual({
    'x.ts': 'conflict',
    'y.ts': 'conflict',
    'z.ts': 'conflict',
  });
});

test('git gets no variable of vals, and none of git but settings of the user', async () => {
  const { clone, service } = await workspace();
  const spy = programs();
  const more: Env = { GIT_CONFIG_COUNT: '0', GIT_DIR: '/nowhere' };
  await useAll(clone, { ...spy, env: { ...spy.env, ...more } });
  const names = spy.environment().match(/^(?:GIT|VALS)_\w+/gm);
  expect([...new Set(names)].sort()).toEqual([
    'GIT_ALLOW_PROTOCOL',
    'GIT_CEILING_DIRECTORIES',
    'GIT_CONFIG_COUNT',
    'GIT_DIR',
    'GIT_NO_LAZY_FETCH',
    'GIT_OPTIONAL_LOCKS',
  ]);
  expect(spy.environment()).not.toContain(service.token);
  expect(spy.environment()).not.toContain('/nowhere');
});
