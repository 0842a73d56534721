import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { startProcess, temporaryFolder } from '../support/program.ts';
import { withResolvers } from '../support/with-resolvers.ts';
import {
  newService,
  Place,
  pushed,
  reachableService,
  type Service,
  serviceWith,
  workspaceWith,
} from './support.ts';

const names = async (service: Service): Promise<string[]> => {
  const { id } = (await service.ask('GET', '/v1/me')) as { id: string };
  const { data } = (await service.ask('GET', `/v1/users/${id}/vals`)) as { data: { name: string }[] };
  return data.map(({ name }) => name).sort();
};

async function workspace(on?: Service) {
  const { place, service } = await pushed({ 'a.ts': 'a', 'b.ts': 'b', 'c.ts': 'c' }, on);
  await service.edit('elsewhere', 'x');
  const ids = { a: place.idOf('a.ts'), b: place.idOf('b.ts') };
  place.remove('a.ts', 'b.ts');
  return { place, service, ids };
}

it('push --prune deletes the vals whose files are gone, and removes them from vals.json', async () => {
  const { place, service } = await workspace();
  const planned = { 'a.ts': 'planned', 'b.ts': 'planned', 'c.ts': 'unchanged' };
  expect(await place.words(['push', '--prune', '--dry-run'])).toEqual(planned);
  expect(await names(service)).toEqual(['a', 'b', 'c', 'elsewhere']);
  const deleted = { 'a.ts': 'deleted', 'b.ts': 'deleted', 'c.ts': 'unchanged' };
  expect(await place.words(['push', '--prune', '--yes'])).toEqual(deleted);
  expect(await names(service)).toEqual(['c', 'elsewhere']);
  expect(Object.keys(place.manifest().vals)).toEqual(['c.ts']);
  expect(await place.words(['push', '--prune'])).toEqual({ 'c.ts': 'unchanged' });
  place.put({ 'a.ts': 'again' });
  expect(await place.words(['push'])).toEqual({ 'a.ts': 'created', 'c.ts': 'unchanged' });
});

it('an interrupted prune says what was deleted, and the next one deletes the rest', async () => {
  let isHeld = true;
  const { promise: held, resolve: hold } = withResolvers();
  const { env } = await serviceWith(({ method, path }, service) => {
    const id = path.split('/').at(-1) ?? '';
    if (method !== 'DELETE' || !isHeld || id !== place.idOf('v2.ts')) return undefined;
    return () => void service.delete(id).then(hold);
  });
  const place: Place = workspaceWith(env, { 'v1.ts': '1', 'v2.ts': '2', 'v3.ts': '3' });
  await place.rows(['push']);
  place.remove('v1.ts', 'v2.ts', 'v3.ts');
  const { child, ended } = startProcess(['push', '--prune', '--yes', '--concurrency', '1'], {
    env: { ...place.env, HOME: place.home },
    cwd: place.folder,
  });
  await held;
  child.kill('SIGINT');
  const { exit, stdout, stderr } = await ended;
  expect({ exit, stderr, words: stdout.match(/^\w+/gm) }).toEqual({
    exit: 130,
    stderr:
      'error: Interrupted: 1 of 3 vals was deleted. It is not known whether 1 other was changed too.\n' +
      'hint: To finish, run the command again.\n',
    words: ['deleted', 'failed', 'skipped'],
  });
  isHeld = false;
  expect(await place.words(['push', '--prune', '--yes'])).toEqual({ 'v2.ts': 'deleted', 'v3.ts': 'deleted' });
  expect(Object.keys(place.manifest().vals)).toEqual([]);
});

describe('the question of push --prune', () => {
  it('lists the vals, and sends nothing after a no', async () => {
    const { place, service } = await workspace();
    place.put({ 'c.ts': 'c2' });
    const ask = (keys: string) =>
      place.onScreen(['push', '--prune'], { answers: [{ after: '[y/N]', keys }] });
    const refused = await ask('n\r');
    expect(refused.exit).toBe(2);
    expect(refused.screen).toContain('  a  version 1  a.ts');
    expect(refused.screen).toContain('Nothing was pushed or deleted.');
    expect(await names(service)).toEqual(['a', 'b', 'c', 'elsewhere']);
    expect(await service.code(place.idOf('c.ts'))).toBe('c');
    expect((await ask('y\r')).exit).toBe(0);
    expect(await names(service)).toEqual(['c', 'elsewhere']);
    expect(await service.code(place.idOf('c.ts'))).toBe('c2');
  });

  it('names the file with the most similar code, which may be the renamed one', async () => {
    const { place } = await pushed({ 'greet.ts': 'one\ntwo\nthree\n' });
    place.remove('greet.ts');
    place.put({ 'ahoy.ts': 'one\ntwo\nfour\nfive\n', 'hola.ts': 'one\ntwo\nthree\nfour\n' });
    await place.vals('push');
    const answers = [{ after: '[y/N]', keys: 'n\r' }];
    const { screen } = await place.onScreen(['push', '--prune'], { answers });
    expect(screen).toContain('  greet  version 1  greet.ts  (hola.ts has similar code)');
  });

  it.each([
    ['a pull', ['pull', 'c.ts'], 'theirs', 'c'],
    ['a new name', ['val', 'set', 'c', '--name', 'd'], 'c', 'd'],
  ])(
    'may be open while a file is restored and during %s, which the push then knows',
    async (_name, args, code, name) => {
      const { place, service } = await workspace();
      const id = place.idOf('c.ts');
      if (code !== 'c') await service.edit('c', code);
      const beforeKeys = async () => {
        place.put({ 'a.ts': 'a' });
        expect((await place.vals(...args)).exit).toBe(0);
      };
      const answers = [{ after: '[y/N]', keys: 'y\r', beforeKeys }];
      expect((await place.onScreen(['push', '--prune'], { answers })).exit).toBe(0);
      expect(await names(service)).toEqual(['a', name, 'elsewhere']);
      expect(await service.code(id)).toBe(code);
      expect(place.manifest().vals['c.ts']).toMatchObject({ name });
    },
  );

  it('may be open while a file comes back under another name, whose val is not deleted', async () => {
    const { place, service } = await workspace();
    const beforeKeys = async () => place.put({ 'back.ts': 'a' });
    const answers = [{ after: '[y/N]', keys: 'y\r', beforeKeys }];
    const { exit, screen } = await place.onScreen(['push', '--prune'], { answers });
    expect({ exit, screen }).toEqual({ exit: 9, screen: expect.stringContaining('back.ts has') });
    expect(await names(service)).toEqual(['a', 'c', 'elsewhere']);
    expect(await place.words(['push'])).toEqual({ 'back.ts': 'moved', 'c.ts': 'unchanged' });
  });

  it('may be open while other commands move one of the vals to another file and forget the other', async () => {
    const { place, service } = await workspace();
    const beforeKeys = async () => {
      place.put({ 'moved.ts': 'a' });
      expect((await place.vals('push', 'moved.ts')).stderr).toContain('a.ts was moved to moved.ts.');
      expect((await place.vals('forget', 'b.ts')).exit).toBe(0);
    };
    const answers = [{ after: '[y/N]', keys: 'y\r', beforeKeys }];
    expect((await place.onScreen(['push', '--prune'], { answers })).exit).toBe(0);
    expect(await names(service)).toEqual(['a', 'b', 'c', 'elsewhere']);
    expect(Object.keys(place.manifest().vals)).toEqual(['c.ts', 'moved.ts']);
  });
});

it.each(['the ids', 'only the names'])(
  'push --prune --yes in a fresh checkout deletes vals of which vals.json has %s',
  async (what) => {
    const { place, service } = await workspace();
    place.loseRecords();
    if (what === 'only the names') {
      const vals = Object.fromEntries(['a', 'b', 'c'].map((name) => [`${name}.ts`, { name }]));
      place.put({ 'vals.json': JSON.stringify({ vals }) });
    }
    const rows = { 'a.ts': 'deleted', 'b.ts': 'deleted', 'c.ts': 'unchanged' };
    expect(await place.words(['push', '--prune', '--yes'])).toEqual(rows);
    expect(await names(service)).toEqual(['c', 'elsewhere']);
    expect(Object.keys(place.manifest().vals)).toEqual(['c.ts']);
  },
);

describe('push --prune does not delete', () => {
  it('a val that changed on the service, even if its code is the same again', async () => {
    const { place, service, ids } = await workspace();
    await service.edit('a', 'theirs');
    await service.edit('b', 'other');
    await service.edit('b', 'b');
    const rows = await place.rows(['push', '--prune', '--yes'], 5);
    expect(rows.map(({ status }) => status)).toEqual(['failed', 'failed', 'unchanged']);
    expect(rows[0]?.error?.message).toContain('changed on the service');
    expect(await service.code(ids.a)).toBe('theirs');
    expect(Object.keys(place.manifest().vals)).toHaveLength(3);
    await service.edit('c', 'theirs');
    place.put({ 'c.ts': 'mine', 'd.ts': 'd' });
    const { stdout, stderr } = await place.vals('push', '--prune', '--yes');
    expect(stdout.match(/^\w+/gm)).toEqual(['failed', 'failed', 'failed', 'created']);
    expect(stderr).toContain('error: 3 of 4 vals were not deleted or pushed.');
  });

  it('a val of another name, also in a fresh checkout', async () => {
    const { place, service, ids } = await workspace(await reachableService());
    await service.ask('PUT', `/v1/vals/${ids.a}`, { name: 'theirs' });
    const manifest = place.manifest();
    Object.assign(manifest.vals['b.ts'] ?? {}, { name: 'mine' });
    place.put({ 'vals.json': JSON.stringify(manifest) });
    for (const loseRecords of [() => {}, () => place.loseRecords()]) {
      loseRecords();
      const rows = await place.words(['push', '--prune', '--yes'], 5);
      expect(rows).toMatchObject({ 'a.ts': 'failed', 'b.ts': 'failed' });
    }
    expect(await names(service)).toEqual(['b', 'c', 'elsewhere', 'theirs']);
    // `vals pull a.ts` would end with the same conflict, and `vals push a.ts --fork` has no file to send.
    const [row] = await place.rows(['push', '--prune', '--yes'], 5);
    expect(row?.error?.hint).toMatch(
      /change the name in vals\.json to "theirs"\. .* run `vals forget a\.ts`\.$/,
    );
  });

  it('ignored vals, or anything without --prune', async () => {
    const { place, service } = await workspace();
    expect(await place.words(['push'])).toMatchObject({ 'a.ts': 'skipped', 'b.ts': 'skipped' });
    place.put({ '.valsignore': 'a.ts\n' });
    expect((await place.vals('push', '--prune', '--yes')).exit).toBe(0);
    expect(await names(service)).toEqual(['a', 'c', 'elsewhere']);
  });

  it('anything with --watch, --name or a path, or without an answer to its question', async () => {
    const { place, service } = await workspace();
    for (const args of [['--yes', '--watch'], ['--yes', 'c.ts'], ['--yes', 'c.ts', '--name', 'x'], []]) {
      expect((await place.vals('push', '--prune', ...args)).exit, args.join(' ')).toBe(2);
    }
    expect(await names(service)).toHaveLength(4);
  });
});

it('push --prune keeps the ids of other services, and forgets the ids of the embedded service', async () => {
  const { place } = await workspace(await reachableService());
  const local = new Place(place.folder, { VALS_LOCAL: '1', VALS_DATA_DIR: temporaryFolder() });
  place.put({ 'a.ts': 'a' });
  await local.rows(['push']);
  place.remove('a.ts');
  expect(await local.words(['push', '--prune', '--yes'])).toMatchObject({ 'a.ts': 'deleted' });
  expect(place.manifest().vals['a.ts']?.ids).toEqual({ [`${place.env.VALS_BASE_URL}`]: expect.any(String) });
  place.put({ 'a.ts': 'a' });
  expect(await local.words(['push', 'a.ts'])).toEqual({ 'a.ts': 'created' });
});

describe('a file that was moved to another workspace of the repository', () => {
  const code = 'one\ntwo\nthree\n';

  async function movedTo(files: Record<string, string>) {
    const service = await newService();
    const top = new Place(temporaryFolder(), service.env);
    top.put({
      '.git/HEAD': '',
      'a/vals.json': '{"vals":{}}',
      'b/vals.json': '{"vals":{}}',
      'a/greet.ts': code,
    });
    top.put({ 'b/other.ts': 'other' });
    expect(await top.words(['push', 'a', 'b'])).toEqual({ 'a/greet.ts': 'created', 'b/other.ts': 'created' });
    const a = new Place(join(top.folder, 'a'), service.env, top.home);
    a.remove('greet.ts');
    top.put(files);
    return { top, a, service };
  }

  it.each([
    ['with its name', { 'b/greet.ts': code }, 'it is the val of ../b/greet.ts too', 'vals forget greet.ts'],
    [
      'with a new name',
      { 'b/hi.ts': code },
      '../b/hi.ts has similar code',
      'to ../b/vals.json, and name it "hi.ts"',
    ],
  ])('keeps its val %s, after the push of that workspace', async (_how, files, reason, hint) => {
    const { top, a, service } = await movedTo(files);
    expect((await top.vals('push', 'b')).exit).toBe(0);
    const [row] = await a.rows(['push', '--prune', '--yes'], 5);
    expect(row?.error).toMatchObject({
      message: expect.stringContaining(reason),
      hint: expect.stringContaining(hint),
    });
    expect(await names(service)).toContain('greet');
    const answers = [{ after: '[y/N]', keys: 'n\r' }];
    const { exit, screen } = await a.onScreen(['push', '--prune'], { answers, columns: 120 });
    expect({ exit, screen }).toEqual({
      exit: 2,
      screen: expect.stringContaining(`greet.ts  (${reason.replace('it is ', '')})`),
    });
  });

  it('keeps its val before that workspace is pushed, if its code is similar, in a fresh checkout too', async () => {
    const { a, service } = await movedTo({ 'b/hi.ts': `${code}four\n` });
    a.loseRecords();
    expect(await a.words(['push', '--prune', '--yes', '--dry-run'], 5)).toEqual({ 'greet.ts': 'failed' });
    const dry = await a.onScreen(['push', '--prune', '--dry-run'], { answers: [], columns: 120 });
    expect(dry).toMatchObject({ exit: 5, screen: expect.stringContaining('../b/hi.ts has similar code') });
    expect(await a.words(['push', '--prune', '--yes'], 5)).toEqual({ 'greet.ts': 'failed' });
    expect(await names(service)).toContain('greet');
    a.remove('../b/hi.ts');
    a.put({ '../c/.git': '', '../c/vals.json': '{}', '../c/hi.ts': code });
    expect(await a.words(['push', '--prune', '--yes'])).toEqual({ 'greet.ts': 'deleted' });
  });
});
