import { symlinkSync, truncateSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { has } from '../support/features.ts';
import { ends, temporaryFolder } from '../support/program.ts';
import { startStrict } from '../support/strict-service.ts';
import { Clone, type Place, pushed, repository, type Service } from './places.ts';

/** A repository with two workspaces, seen from its top. */
async function monorepo(): Promise<{ top: Place; a: Place; b: Place; service: Service }> {
  const service = await startStrict();
  const top = new Clone(temporaryFolder(), service.env);
  top.git('init', '-q');
  top.put({ 'packages/a/greet.ts': 'greet_1', 'packages/b/count.ts': 'count_1' });
  const [a, b] = [top.at('packages/a'), top.at('packages/b')];
  for (const place of [a, b]) {
    for (const args of [['init'], ['push']]) expect(await place.vals(...args)).toMatchObject({ exit: 0 });
  }
  return { top, a, b, service };
}

describe('a path belongs to the workspace above it, from wherever it is typed', () => {
  it('a push does not overwrite an edit on the service', async () => {
    const { top, a, service } = await monorepo();
    service.edit('greet', 'theirs');
    a.put({ 'greet.ts': 'mine' });
    for (const path of ['packages/a/greet.ts', 'packages/a', join(a.folder, 'greet.ts')]) {
      const [row] = await top.rows(['push', path], 5);
      expect(row).toMatchObject({ name: 'greet', status: 'failed', error: { kind: 'conflict' } });
    }
    const { stderr } = await top.vals('push', 'packages/a/greet.ts');
    expect(stderr).toContain(
      'packages/a/greet.ts changed here, and its val changed on the service (version 2) since both had version 1.',
    );
    expect(stderr).toContain('`vals diff packages/a/greet.ts`');
    expect(service.codes('greet')).toEqual(['greet_1', 'theirs']);
  });

  it('a push, a status, a diff and a pull work on that workspace', async () => {
    const { top, a, b, service } = await monorepo();
    a.put({ 'greet.ts': 'greet_2', 'new.ts': 'new_1' });
    expect(await top.words(['status', 'packages/a/greet.ts', 'packages/a/new.ts'])).toEqual({
      'packages/a/greet.ts': 'changed here',
      'packages/a/new.ts': 'new',
    });
    expect((await top.vals('diff', 'packages/a/greet.ts')).stdout).toContain('+greet_2');
    expect(await top.words(['push', 'packages/a/greet.ts', 'packages/a/new.ts'])).toEqual({
      'packages/a/greet.ts': 'pushed',
      'packages/a/new.ts': 'created',
    });
    const rows = await top.rows(['push', 'packages/a/new.ts', './packages/a/greet.ts']);
    expect(rows.map(({ name }) => name)).toEqual(['new', 'greet']);
    service.edit('count', 'count_2');
    expect(await a.words(['pull', '../b/count.ts'])).toEqual({ '../b/count.ts': 'pulled' });
    expect(b.read('count.ts')).toBe('count_2');
  });

  it('hints name the files, so that the commands work where the first one was typed', async () => {
    const { top, a, b, service } = await monorepo();
    a.put({ 'greet.ts': 'greet_2' });
    service.edit('count', 'count_2');
    const [greet, count] = ['packages/a/greet.ts', 'packages/b/count.ts'];
    const expectHint = async (args: string[], ...commands: string[]) => {
      const { screen } = await top.onScreen(args, { columns: 1_000 });
      for (const command of commands) expect(screen).toContain(`\`vals ${command}\``);
      expect(screen).not.toMatch(/`vals (?:push|pull|diff|status)(?: --\w+)*`/);
    };
    await expectHint(['status', greet], `push ${greet}`);
    await expectHint(['diff', greet], `push ${greet}`);
    await expectHint(['push', count], `pull ${count}`);
    b.put({ 'count.ts': 'mine' });
    await expectHint(['status', count], `diff ${count}`, `pull ${count} --merge`);
    await expectHint(
      ['diff', count],
      `push ${count} --force`,
      `pull ${count} --force`,
      `pull ${count} --merge`,
    );
    const unknown = ends(3, 'Go to the folder packages/a. To list');
    for (const command of ['status', 'diff']) {
      expect(await top.vals(command, 'packages/a/nothing.ts')).toMatchObject(unknown);
    }
  });

  it('val get, run and version ls take it as a val', async () => {
    const { a, b } = await monorepo();
    a.put({ 'greet.ts': 'greet_2' });
    expect(await b.vals('val', 'get', '--code', '../a/greet.ts')).toMatchObject({ stdout: 'greet_1' });
    if (has('run')) expect(await b.vals('run', '../a/greet.ts')).toMatchObject({ exit: 12 });
    expect(await b.vals('version', 'ls', '../a/greet.ts')).toMatchObject({ exit: 0 });
  });

  it('a workspace that is reached through a link is the same workspace', async () => {
    const { place, service } = await pushed({ 'greet.ts': 'greet_1' });
    const link = join(temporaryFolder(), 'link');
    symlinkSync(place.folder, link);
    service.edit('greet', 'theirs');
    place.put({ 'greet.ts': 'mine' });
    const path = join(link, 'greet.ts');
    expect(await place.at('..').vals('push', path)).toMatchObject({ exit: 5 });
    expect(await place.words(['status', path])).toEqual({ 'greet.ts': 'conflict' });
  });

  it('the paths of two workspaces, or of one and none, are refused, and nothing is sent', async () => {
    const { top, a } = await monorepo();
    a.put({ 'greet.ts': 'greet_2' });
    top.put({ 'alone.ts': '1' });
    for (const other of ['packages/b/count.ts', 'alone.ts']) {
      expect(await top.vals('push', 'packages/a/greet.ts', other)).toMatchObject(ends(2, `${other} is in`));
    }
    expect(await top.vals('push', '--watch', 'packages/a', 'packages/b')).toMatchObject({ exit: 2 });
    expect(await a.status()).toMatchObject({ 'greet.ts': 'changed here' });
  });
});

describe('--name in a workspace', () => {
  it('is refused, and the message says how a val gets another name', async () => {
    const { place, service } = await pushed({ 'a.ts': 'a' });
    place.put({ 'b.ts': 'b' });
    expect(await place.vals('push', 'b.ts', '--name', 'bee')).toMatchObject(ends(2, '"b.ts": "bee"'));
    expect(service.vals()).toHaveLength(1);
  });

  it('with standard input is an upsert', async () => {
    const { place, service } = await pushed({ 'a.ts': 'a' });
    const { stdout } = await place.vals('val', 'get', 'a', '--code');
    expect(stdout).toBe('a');
    service.edit('piped', 'before');
    const { exit } = await place.pipe('after', 'push', '-', '--name', 'piped');
    expect(exit).toBe(0);
    expect(service.code('piped')).toBe('after');
    expect(place.manifest()).toEqual({});
  });
});

it('a folder stands for its files in status, diff and pull', async () => {
  const { place, service } = await pushed({ 'a.ts': 'a', 'sub/b.ts': 'b', 'sub/deep/c.ts': 'c' });
  place.put({ 'sub/b.ts': 'b2', 'sub/d.ts': 'd' });
  service.edit('c', 'c2');
  expect(await place.words(['status', 'sub'])).toEqual({
    'sub/b.ts': 'changed here',
    'sub/d.ts': 'new',
    'sub/deep/c.ts': 'changed there',
  });
  expect(await place.words(['diff', 'sub/deep'])).toEqual({ 'sub/deep/c.ts': 'changed there' });
  expect(await place.words(['pull', 'sub'])).toEqual({ 'sub/b.ts': 'kept', 'sub/deep/c.ts': 'pulled' });
});

it('a missing file is reported with the file that was meant', async () => {
  const { place } = await pushed({ 'sub/c.ts': 'c' });
  const stderr = 'error: sub/c.ts does not exist. Did you mean c.ts?\nhint: Check the path.\n';
  expect(await place.at('sub').vals('push', 'sub/c.ts')).toMatchObject({ exit: 10, stderr });
});

it('a path is relative to the current folder, and a file without a val is named', async () => {
  const { place, service } = await pushed({ 'lib/mail.ts': 'x' });
  for (const word of ['mail.ts', '../lib/mail.ts']) {
    const below = place.at('lib');
    expect((await below.vals('val', 'get', word, '--code')).stdout).toBe('x');
  }
  place.put({ 'only.ts': 'y' });
  const get = () => place.vals('val', 'get', 'only.ts');
  const unknown = 'This machine knows no val named "only", and the service cannot list vals.';
  expect(await get()).toMatchObject(ends(3, unknown));
  service.switches.list = true;
  expect(await get()).toMatchObject(
    ends(3, 'only.ts is not a val yet: the service has no val named "only".'),
  );
});

it('a file that git knows, but that is gone, stands for its val', async () => {
  const place = repository((await startStrict()).env, { 'a.ts': 'a' });
  place.put({ 'b.ts': 'b' });
  await place.rows(['push']);
  place.remove('a.ts', 'b.ts');
  expect((await place.vals('val', 'get', 'a.ts', '--code')).stdout).toBe('a');
  expect(await place.vals('val', 'get', 'b.ts', '--code')).toMatchObject({ exit: 3, stdout: '' });
  place.commit();
  expect((await place.vals('val', 'get', 'a.ts', '--code')).stdout).toBe('a');
});

it.each(['status', 'pull'])('vals %s does not find an unknown name', async (command) => {
  const { place } = await pushed({ 'hello.ts': 'x' });
  expect(await place.vals(command, 'helo')).toMatchObject(ends(3, 'Did you mean "hello"?'));
});

/** vals.json has names for files that a push of the folder does not take. */
async function workspace() {
  const service = await startStrict();
  const place = new Clone(temporaryFolder(), service.env);
  place.put({ 'a.ts': 'a', 'secrets.json': '{}', 'private/key.ts': 'key', 'b.test.ts': 'b' });
  place.put({
    '.gitignore': 'private/\n',
    'vals.json': '{"names": {"secrets.json": "v1", "private/key.ts": "v2"}}',
  });
  return {
    place,
    there: () =>
      service
        .vals()
        .map(({ name }) => name)
        .sort(),
  };
}

it('push sends such a source file if the command line names it, and a prune in a repository does not delete its val', async () => {
  const { place, there } = await workspace();
  const paths = ['private/key.ts', 'b.test.ts'];
  const rows = await place.rows(['push', ...paths, '--no-check']);
  expect(rows.map(({ name, status }) => [name, status])).toEqual([
    ['v2', 'created'],
    ['b_test', 'created'],
  ]);
  expect(await place.vals('push', 'secrets.json')).toMatchObject(
    ends(2, 'secrets.json is not a source file'),
  );
  expect(await place.status()).toEqual({ 'a.ts': 'new' });
  expect(await place.words(['push'])).toEqual({ 'a.ts': 'created' });
  expect(await place.words(['push', '.'])).toEqual({ 'a.ts': 'unchanged' });
  place.git('init', '-q');
  place.git('add', '-A', '-f');
  place.git('commit', '-qm', 'all');
  expect(await place.words(['push', '--prune', '--yes'])).toEqual({ 'a.ts': 'unchanged' });
  expect(there()).toEqual(['a', 'b_test', 'v2']);
});

it('in a folder below, a path is relative to that folder, and messages name files from there', async () => {
  const { place, service } = await pushed({ 'a.ts': 'a', 'sub/b.ts': 'b' });
  place.put({ 'a.ts': 'mine', 'sub/b.ts': 'b2' });
  service.edit('a', 'theirs');
  symlinkSync('a.ts', join(place.folder, '.gitignore'));
  const below = place.at('sub');
  const { exit, stderr, stdout } = await below.vals('push');
  expect(exit).toBe(9);
  expect(stderr).toMatch(/^warning: \.\.\/\.gitignore was not read/);
  expect(stdout).toMatch(/failed\ta\t.*\.\.\/a\.ts\npushed\tb\t.*\tb\.ts\n/);
  expect(stderr).toContain(
    '../a.ts changed here, and its val changed on the service (version 2) since both had version 1.',
  );
  expect(stderr).toContain('`vals diff ../a.ts`');
  expect(await below.vals('pull', 'a.ts')).toMatchObject({ exit: 3 });
});

it('push in a folder reads the ignore files at the top of the workspace', async () => {
  const { place } = await workspace();
  place.put({ 'lib/b.ts': 'b', 'lib/c.ts': 'c', '.valsignore': 'c.ts' });
  expect(await place.words(['push', 'lib'])).toEqual({ 'lib/b.ts': 'created' });
});

it('push sends nothing if an ignore file is too large to be read', async () => {
  const { place, there } = await workspace();
  place.put({ 'lib/secret.ts': 'secret', 'lib/.valsignore': 'secret.ts\n' });
  truncateSync(join(place.folder, 'lib/.valsignore'), 65 * 1_048_576);
  for (const args of [['push'], ['push', 'lib']]) {
    expect(await place.vals(...args)).toMatchObject(ends(10, 'is larger than 64 MB'));
  }
  expect(there()).toEqual([]);
});

it.each(['.git/HEAD', 'vals.json'])(
  'a file in a folder with %s is neither sent nor written',
  async (mark) => {
    const { place, service } = await pushed({ 'a.ts': 'a', 'lib/b.ts': 'b' });
    service.edit('b', 'theirs');
    place.put({ [`lib/${mark}`]: '{}', 'lib/b.ts': 'of others' });
    for (const words of ['push --force', 'push --prune --yes', 'pull --force']) {
      const { stderr } = await place.vals(...words.split(' '));
      expect(stderr).toContain('lib was left out: it is a repository or a workspace of its own.');
    }
    // With a vals.json of its own, the folder is another workspace, and has no record of the val.
    const exit = mark === 'vals.json' ? 5 : 10;
    expect(await place.vals('push', 'lib/b.ts')).toMatchObject({ exit });
    await place.vals('pull', 'b', '--force');
    expect(place.read('lib/b.ts')).toBe('of others');
    expect(service.code('b')).toBe('theirs');
    place.put({ 'lib/.git/HEAD': '', 'lib/vals.json': '{}' });
    for (const command of ['push', 'status', 'pull'])
      expect(await place.vals(command, 'lib/b.ts')).toMatchObject({ exit: 10 });
  },
);
