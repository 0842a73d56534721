import { cpSync, readdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { isLong } from '../support/cases.ts';
import { run, temporaryFolder } from '../support/program.ts';
import { scriptedService } from '../support/scripted-service.ts';
import { serviceInProcess } from '../support/service-in-process.ts';
import { Place, pushed, put, Service, startService, workspaceWith } from './support.ts';

type Listed = Record<string, { name: string; id: string }>;

function putManifest(place: Place, listed: Listed): void {
  const entries = Object.entries(listed).map(([file, { name, id }]) => [
    file,
    { name, ids: { [`${place.env.VALS_BASE_URL}`]: id } },
  ]);
  place.put({ 'vals.json': JSON.stringify({ vals: Object.fromEntries(entries) }) });
}

async function checkout(file = 'prod.ts') {
  const service = await startService();
  const { id } = await service.edit('prod', 'precious');
  const place = new Place(temporaryFolder(), service.env);
  putManifest(place, { [file]: { name: 'prod', id } });
  place.put({ [file]: 'precious' });
  return { place, service, id };
}

const read = async (service: Service, id: string) => {
  const { name, code } = (await service.ask('GET', `/v1/vals/${id}`)) as Record<string, unknown>;
  return { name, code };
};

const reading = [
  ['status'],
  ['diff'],
  ['pull', '--dry-run'],
  ['push', '--dry-run'],
  ['push', '.', '--dry-run'],
];

const inTurn = isLong ? reading.map((args) => [args]) : [reading];

describe.each(inTurn.map((commands) => ({ commands })))('after $commands', ({ commands }) => {
  const readWith = async (place: Place) => {
    for (const args of commands) expect(await place.vals(...args)).toMatchObject({ exit: 0 });
  };

  it('push --prune does not delete the val', async () => {
    const { place, service, id } = await checkout();
    await readWith(place);
    place.remove('prod.ts');
    const [row] = await place.rows(['push', '--prune', '--yes'], 5);
    expect(row?.error?.message).toContain('this folder never pulled or pushed the val');
    expect(await service.code(id)).toBe('precious');
  });

  it('a file of another name does not lead to the val', async () => {
    const { place, service, id } = await checkout('notes.ts');
    await readWith(place);
    expect(await place.vals('val', 'rm', 'notes.ts', '--yes')).toMatchObject({ exit: 5 });
    expect(await place.vals('val', 'set', 'notes.ts', '--name', 'gone')).toMatchObject({ exit: 5 });
    expect(await read(service, id)).toEqual({ name: 'prod', code: 'precious' });
  });

  it('a name that was edited in vals.json does not rename the val', async () => {
    const { place, service, id } = await checkout();
    await readWith(place);
    putManifest(place, { 'prod.ts': { name: 'theirs', id } });
    expect(await place.status()).toEqual({ 'prod.ts': 'conflict' });
    expect(await place.words(['push'], 5)).toEqual({ 'prod.ts': 'failed' });
    expect(await read(service, id)).toEqual({ name: 'prod', code: 'precious' });
  });

  it('a val that was added to vals.json later is not overwritten', async () => {
    const { place, service } = await pushed({ 'a.ts': 'a' });
    const { id } = await service.edit('prod', 'precious');
    putManifest(place, { 'a.ts': { name: 'a', id: place.idOf('a.ts') }, 'prod.ts': { name: 'prod', id } });
    place.put({ 'prod.ts': 'precious' });
    await readWith(place);
    place.put({ 'prod.ts': 'evil' });
    expect(await place.status()).toEqual({ 'a.ts': 'unchanged', 'prod.ts': 'conflict' });
    const rows = await place.rows(['push'], 5);
    expect(rows[1]?.error?.message).toContain('.vals has no record of a pull or push');
    expect(await service.code(id)).toBe('precious');
  });
});

describe.each([['push'], ['pull']])('after vals %s, which found the val unchanged', (command) => {
  it('the val belongs to the workspace', async () => {
    const { place, service, id } = await checkout();
    expect(await place.words([command])).toEqual({ 'prod.ts': 'unchanged' });
    putManifest(place, { 'prod.ts': { name: 'better', id } });
    expect(await place.words(['push'])).toEqual({ 'prod.ts': 'renamed' });
    expect(await read(service, id)).toEqual({ name: 'better', code: 'precious' });
    place.remove('prod.ts');
    expect(await place.words(['push', '--prune', '--yes'])).toEqual({ 'prod.ts': 'deleted' });
  });
});

it.each(['prod', 'its id'])(
  'val set %s gives no new name to a val that vals.json lists by another name',
  async (word) => {
    const { place, service, id } = await checkout();
    putManifest(place, { 'prod.ts': { name: 'theirs', id } });
    place.put({ 'prod.ts': 'evil' });
    const { exit, stderr } = await place.vals('val', 'set', word === 'prod' ? word : id, '--name', 'better');
    expect({ exit, stderr }).toEqual({
      exit: 0,
      stderr: expect.stringContaining('vals.json was not changed'),
    });
    expect(place.manifest().vals['prod.ts']?.name).toBe('theirs');
    expect(await place.words(['push'], 5)).toEqual({ 'prod.ts': 'failed' });
    expect(await read(service, id)).toEqual({ name: 'better', code: 'precious' });
  },
);

describe('in a fresh checkout, status', () => {
  it('does not keep an edited file from being pushed', async () => {
    const { place, service, id } = await checkout();
    expect(await place.status()).toEqual({ 'prod.ts': 'unchanged' });
    place.put({ 'prod.ts': 'edited' });
    expect(await place.words(['push'])).toEqual({ 'prod.ts': 'pushed' });
    expect(await service.code(id)).toBe('edited');
  });

  it('keeps a later edit on the service from being overwritten', async () => {
    const { place, service } = await checkout();
    expect(await place.status()).toEqual({ 'prod.ts': 'unchanged' });
    await service.edit('prod', 'theirs');
    expect(await place.status()).toEqual({ 'prod.ts': 'changed there' });
    expect(await place.words(['push'])).toEqual({ 'prod.ts': 'behind' });
    place.put({ 'prod.ts': 'mine' });
    expect(await place.words(['push'], 5)).toEqual({ 'prod.ts': 'failed' });
  });
});

function basesOf(place: Place): string {
  const folder = join(place.folder, '.vals/agreed');
  return join(folder, readdirSync(folder)[0] ?? '');
}

describe('a base in .vals that this folder did not record', () => {
  it('has its version and its time ignored', async () => {
    const names = Array.from({ length: 100 }, (_, index) => `v${index}`);
    const { place } = await pushed(Object.fromEntries(names.map((name) => [`${name}.ts`, name])));
    const copy = new Place(temporaryFolder(), place.env);
    cpSync(place.folder, copy.folder, { recursive: true });
    copy.put({ 'v7.ts': 'evil' });
    const file = join(basesOf(copy), `${place.idOf('v7.ts')}.json`);
    writeFileSync(file, JSON.stringify({ ...JSON.parse(readFileSync(file, 'utf8')), code: 'evil' }));
    expect(await copy.status()).toMatchObject({
      'v6.ts': 'unchanged',
      'v7.ts': expect.not.stringMatching('unchanged'),
    });
  });

  it('is not read if it has more than 2 MiB, so that its val is a conflict', async () => {
    const { place } = await pushed({ 'a.ts': 'a', 'b.ts': 'b' });
    const copy = new Place(temporaryFolder(), place.env);
    cpSync(place.folder, copy.folder, { recursive: true });
    const codes = { 'a.ts': 'x'.repeat(1_048_576), 'b.ts': 'x'.repeat(2 * 1_048_576) };
    copy.put(codes);
    for (const [name, code] of Object.entries(codes)) {
      const file = join(basesOf(copy), `${place.idOf(name)}.json`);
      writeFileSync(file, JSON.stringify({ ...JSON.parse(readFileSync(file, 'utf8')), code }));
    }
    expect(await copy.status()).toEqual({ 'a.ts': 'changed there', 'b.ts': 'conflict' });
  });

  it('does not keep a pull from making a copy of the file that it overwrites', async () => {
    const { place, id } = await checkout();
    expect(await place.status()).toEqual({ 'prod.ts': 'unchanged' });
    writeFileSync(join(basesOf(place), `${id}.json`), JSON.stringify({ id, code: 'mine', mark: 'x' }));
    place.put({ 'prod.ts': 'mine' });
    expect(await place.words(['pull'])).toEqual({ 'prod.ts': 'pulled' });
    expect(place.backups()).toEqual(['mine']);
  });

  it('does not merge a file into a val of another name', async () => {
    const { place, service, id } = await checkout();
    expect(await place.status()).toEqual({ 'prod.ts': 'unchanged' });
    const lines = (first: string, last: string) => [first, '2', '3', '4', last, ''].join('\n');
    await service.edit('prod', lines('1', 'precious'));
    const base = { id, code: lines('1', 'older'), mark: 'x' };
    writeFileSync(join(basesOf(place), `${id}.json`), JSON.stringify(base));
    putManifest(place, { 'prod.ts': { name: 'theirs', id } });
    place.put({ 'prod.ts': lines('evil', 'older') });
    expect(await place.words(['pull', '--merge'], 5)).toEqual({ 'prod.ts': 'failed' });
    expect(await place.words(['push'], 5)).toEqual({ 'prod.ts': 'failed' });
    expect(await service.code(id)).toBe(lines('1', 'precious'));
  });

  it('does not let a push overwrite a val that was added to vals.json later', async () => {
    const { place, service } = await pushed({ 'a.ts': 'a' });
    const { id } = await service.edit('prod', 'precious');
    const bases = basesOf(place);
    writeFileSync(
      join(bases, `${id}.json`),
      JSON.stringify({ id, code: 'precious', name: 'prod', mark: 'x' }),
    );
    for (const name of ['checkout.json', 'checkout-x.json'])
      writeFileSync(join(bases, name), JSON.stringify([id]));
    putManifest(place, { 'a.ts': { name: 'a', id: place.idOf('a.ts') }, 'prod.ts': { name: 'prod', id } });
    place.put({ 'prod.ts': 'evil' });
    expect(await place.words(['push'], 5)).toEqual({ 'a.ts': 'unchanged', 'prod.ts': 'failed' });
    expect(await service.code(id)).toBe('precious');
  });

  it('does not merge a file into a val that was added to vals.json later', async () => {
    const { place, service } = await pushed({ 'a.ts': 'a' });
    const { id } = await service.edit('prod', 'precious');
    writeFileSync(join(basesOf(place), `${id}.json`), JSON.stringify({ id, code: 'precious', mark: 'x' }));
    putManifest(place, { 'a.ts': { name: 'a', id: place.idOf('a.ts') }, 'prod.ts': { name: 'prod', id } });
    place.put({ 'prod.ts': 'evil' });
    expect(await place.words(['pull', '--merge'], 5)).toMatchObject({ 'prod.ts': 'failed' });
    expect(await place.words(['push'], 5)).toMatchObject({ 'prod.ts': 'failed' });
    expect(await service.code(id)).toBe('precious');
  });

  it.each(['another val', 'the same val, which only status read'])(
    'does not count with a mark that git may have published, from the base of %s',
    async (from) => {
      const { place, service } = await pushed({ 'a.ts': 'a' });
      const { id, version } = await service.edit('prod', 'precious');
      putManifest(place, { 'a.ts': { name: 'a', id: place.idOf('a.ts') }, 'prod.ts': { name: 'prod', id } });
      place.put({ 'prod.ts': 'precious' });
      expect(await place.status()).toMatchObject({ 'prod.ts': 'unchanged' });
      const baseOf = (val: string) => join(basesOf(place), `${val}.json`);
      const published = readFileSync(baseOf(from === 'another val' ? place.idOf('a.ts') : id), 'utf8');
      const base = { ...JSON.parse(published), id, version, name: 'prod', code: 'precious' };
      writeFileSync(baseOf(id), `${JSON.stringify(base)}\n`);
      place.put({ 'prod.ts': 'evil' });
      expect(await place.words(['push'], 5)).toEqual({ 'a.ts': 'unchanged', 'prod.ts': 'failed' });
      place.remove('prod.ts');
      expect(await place.words(['push', '--prune', '--yes'], 5)).toMatchObject({ 'prod.ts': 'failed' });
      expect(await service.code(id)).toBe('precious');
    },
  );
});

describe('nothing is sent if a link keeps .vals from recording the push or the new name', () => {
  const places = ['.vals/tmp', '.vals/lock', '.vals/agreed', 'the folder of the bases', 'the base'];
  it.each(places)('%s', async (named) => {
    const { place, service } = await pushed({ 'a.ts': 'a' });
    const id = place.idOf('a.ts');
    place.put({ 'a.ts': 'a2' });
    const paths: Record<string, string> = {
      'the folder of the bases': basesOf(place),
      'the base': join(basesOf(place), `${id}.json`),
    };
    const path = paths[named] ?? join(place.folder, named);
    rmSync(path, { recursive: true, force: true });
    symlinkSync(temporaryFolder(), path);
    const { exit, stderr } = await place.vals('push', 'a.ts', '--force');
    expect({ exit, stderr }).toEqual({ exit: 10, stderr: expect.stringContaining('was not used: ') });
    expect(stderr).not.toContain('was pushed');
    expect(await service.code(id)).toBe('a');
    expect(await place.vals('val', 'set', 'a', '--name', 'b')).toMatchObject({ exit: 10, stdout: '' });
    expect(await read(service, id)).toEqual({ name: 'a', code: 'a' });
  });
});

describe('the name of a val in vals.json, whose id belongs to a val of another owner', () => {
  async function listedStranger() {
    const data = join(temporaryFolder(), 'vals.db');
    const service = new Service(await serviceInProcess(undefined, data));
    const added = await run(['user', 'add', 'mallory', '--data', data, '--json']);
    const mallory = { ...service.env, VALS_TOKEN: JSON.parse(added.stdout).token };
    const code = 'export default () => "evil";';
    const file = join(temporaryFolder(), 'quote.ts');
    writeFileSync(file, code);
    const created = await run(['val', 'create', 'quote', file, '--privacy', 'public', '--json'], {
      env: mallory,
    });
    const { id } = JSON.parse(created.stdout);
    await service.edit('quote', 'export default () => "mine";');
    const place = new Place(temporaryFolder(), service.env);
    putManifest(place, { 'lib/quote.ts': { name: 'quote', id } });
    return { place, id };
  }

  it.each([
    ['run', ['run', 'quote']],
    ['run --allow-all', ['run', '--allow-all', 'quote']],
    ['copy', ['copy', 'quote', '--to', 'http://127.0.0.1:1']],
    ['val rm', ['val', 'rm', 'quote', '--yes']],
  ])('is refused by vals %s', async (_words, args) => {
    const { place, id } = await listedStranger();
    const { exit, stdout, stderr } = await place.vals(...args);
    expect({ exit, stdout, stderr }).toEqual({
      exit: 5,
      stdout: '',
      stderr:
        'error: The val "quote" in vals.json belongs to mallory. Nothing was done.\n' +
        `hint: To use the val of mallory, give its id: ${id}.\n`,
    });
  });

  it('runs if its id is typed', async () => {
    const { place, id } = await listedStranger();
    expect(await place.vals('run', id)).toMatchObject({ exit: 0, stdout: 'evil' });
  });
});

it.each([
  ['push aux/prod.ts', ['push', 'aux/prod.ts']],
  ['push aux/prod.ts --dry-run', ['push', 'aux/prod.ts', '--dry-run']],
])(
  '%s does not overwrite the val of that name, because vals.json cannot list the file',
  async (_words, args) => {
    const { place, service, id } = await checkout();
    place.put({ 'aux/prod.ts': 'evil' });
    const { exit, stderr } = await place.vals(...args);
    expect({ exit, stderr }).toEqual({
      exit: 10,
      stderr: expect.stringContaining('aux/prod.ts cannot be pushed in this workspace, because its path '),
    });
    expect(await service.code(id)).toBe('precious');
  },
);

it('push --prune deletes nothing if vals.json has one id under two spellings of the address', async () => {
  const { place, service } = await pushed({ 'a.ts': 'a' });
  const id = place.idOf('a.ts');
  const url = `${place.env.VALS_BASE_URL}`;
  const vals = {
    'a.ts': { name: 'b', ids: { [url]: id } },
    'gone.ts': { name: 'a', ids: { [`${url}/`]: id } },
  };
  place.put({ 'vals.json': JSON.stringify({ vals }) });
  const { exit, stderr } = await place.vals('push', '--prune', '--yes');
  expect({ exit, stderr }).toEqual({
    exit: 10,
    stderr: expect.stringContaining(`vals.json has the id ${id} twice: a.ts and gone.ts.`),
  });
  expect(await service.code(id)).toBe('a');
});

it.each(['.git/config', 'vals.json'])('push leaves out a folder with its own %s', async (mark) => {
  const { place } = await pushed({ 'a.ts': 'a' });
  place.put({ [`vendor/x/${mark}`]: '{}', 'vendor/x/evil.ts': 'evil', 'vendor/b.ts': 'b' });
  expect(await place.words(['push', 'vendor'])).toEqual({ 'vendor/b.ts': 'created' });
  const { stderr } = await place.vals('push', 'vendor');
  expect(stderr).toContain('vendor/x was left out: it is a repository or a workspace of its own.');
});

it('a base that this folder did not record does not make a new file a moved file', async () => {
  const { place, id } = await checkout();
  expect(await place.words(['push'])).toEqual({ 'prod.ts': 'unchanged' });
  const file = join(basesOf(place), `${id}.json`);
  writeFileSync(file, JSON.stringify({ id, code: 'notes', name: 'prod', mark: 'x' }));
  place.remove('prod.ts');
  place.put({ 'notes.ts': 'notes' });
  expect(await place.status()).toMatchObject({ 'notes.ts': 'new' });
});

describe('a repository with files of its own in .vals', () => {
  const bad = new Uint8Array([0xff]);

  it.each(['push', 'pull'])('does not keep %s from recording the checkout', async (command) => {
    const { place, service, id } = await checkout();
    put(place.folder, { '.vals/schema.json': bad, '.vals/.gitignore': bad });
    expect(await place.words([command])).toEqual({ 'prod.ts': 'unchanged' });
    expect(place.read('.vals/.gitignore')).toBe('*\n');
    const other = await service.edit('other', 'precious');
    putManifest(place, { 'prod.ts': { name: 'prod', id }, 'other.ts': { name: 'other', id: other.id } });
    place.put({ 'other.ts': 'evil' });
    expect(await place.words(['push'], 5)).toEqual({ 'prod.ts': 'unchanged', 'other.ts': 'failed' });
    expect(await service.code(other.id)).toBe('precious');
  });

  it.each(['schema.json', '.gitignore'])(
    'a folder at %s: nothing is sent, also in a dry run',
    async (name) => {
      const { place, service, id } = await checkout();
      put(place.folder, { [`.vals/${name}/x`]: '' });
      for (const command of ['push', 'pull']) {
        const { exit, stderr } = await place.vals(command);
        expect({ exit, stderr }).toEqual({
          exit: 0,
          stderr: expect.stringContaining(
            `The workspace could not record that "prod" is unchanged: .vals/${name}`,
          ),
        });
      }
      place.put({ 'prod.ts': 'edited' });
      for (const args of [['push', '--dry-run'], ['push']]) {
        const [row] = await place.rows(args, 10);
        expect(row?.error?.message).toContain(`.vals/${name} was not used`);
      }
      expect(await service.code(id)).toBe('precious');
    },
  );
});

it('push leaves out a file in a repository of its own, even if vals.json lists the file', async () => {
  const { place } = await pushed({ 'a.ts': 'a' });
  place.put({
    'vendor/.git/config': '',
    'vendor/x.ts': 'private',
    'vals.json': JSON.stringify({ vals: { 'vendor/x.ts': { name: 'x' } } }),
  });
  const { stdout, stderr } = await place.vals('push', '--json');
  expect(stderr).toContain('vendor/x.ts (in another repository or workspace)');
  expect(stdout).not.toContain('vendor/x.ts');
});

describe.each(['.git', 'vals.json'])('your project, with %s, in the folder of a stranger', (mark) => {
  const yourProject = async () => {
    const { place, service, id } = await checkout('yours/prod.ts');
    place.put({ [`yours/${mark}`]: '{}', 'yours/prod.ts': 'draft' });
    return { place, service, id };
  };

  it.each([
    ['push', 'yours/prod.ts'],
    ['push', 'yours'],
    ['push', 'yours/prod.ts', '--force'],
    ['push', 'prod'],
    ['push', 'prod', '--force'],
  ])('vals %s %s does not overwrite your val', async (...args) => {
    const { place, service, id } = await yourProject();
    const { exit, stderr } = await place.vals(...args);
    expect({ exit, stderr }).toEqual({
      exit: 10,
      stderr: expect.stringContaining('yours/prod.ts was not pushed, because it is in another repository or'),
    });
    expect(await service.code(id)).toBe('precious');
  });

  it.each(['yours/prod.ts', 'yours'])('vals push %s --watch is refused', async (path) => {
    const { place } = await yourProject();
    expect(await place.vals('push', path, '--watch')).toMatchObject({
      exit: 10,
      stderr: expect.stringContaining(`${path} was not pushed, because it is in another repository or`),
    });
  });

  it("the stranger's vals.json does not apply to it", async () => {
    const { place } = await yourProject();
    rmSync(join(place.folder, 'yours', mark));
    const yours = new Place(join(place.folder, 'yours'), place.env);
    expect(await yours.vals('status')).toMatchObject({ exit: 0 });
    put(yours.folder, { [mark]: '{}' });
    const { stdout, stderr } = await yours.vals('status');
    expect(stdout + stderr).not.toContain('yours/prod.ts');
  });
});

it('an id that no address can contain fails alone, and the other vals are pushed and reported', async () => {
  const service = await startService();
  const place = new Place(temporaryFolder(), service.env);
  putManifest(place, { 'b.ts': { name: 'b', id: '\ud800' } });
  place.put({ 'a.ts': 'a', 'b.ts': 'b', 'c.ts': 'c' });
  const rows = await place.rows(['push'], 9);
  expect(rows.map(({ status }) => status)).toEqual(['created', 'failed', 'created']);
  expect(rows[1]?.error).toMatchObject({ exit: 2, message: expect.stringContaining('not the id of a val') });
});

it.each([undefined, null, { username: 'stranger' }])(
  "the id of a stranger's val does not lead to your val of the same name, if the author is %j",
  async (author) => {
    const service = await scriptedService([], ({ method, path }) => {
      if (path === '/v1/me') return { body: { id: 'me' } };
      if (path.startsWith('/v1/users/me/vals')) return { body: { data: [{ id: 'mine', name: 'prod' }] } };
      if (method === 'GET') return { body: { id: 'theirs', name: 'prod', code: 'theirs', author } };
      return { status: 200, body: { id: 'mine' } };
    });
    const place = new Place(temporaryFolder(), service.env);
    putManifest(place, { 'prod.ts': { name: 'prod', id: 'theirs' } });
    place.put({ 'prod.ts': 'evil' });
    expect(await place.status()).toEqual({ 'prod.ts': 'not yours' });
    const expectNoPush = async () => {
      for (const args of [['push'], ['push', '--force']]) {
        expect((await place.rows(args, 5))[0]?.error?.message).toContain('belongs to another owner');
      }
    };
    await expectNoPush();
    expect(await place.words(['pull', '--force'])).toEqual({ 'prod.ts': 'pulled' });
    place.put({ 'prod.ts': 'evil' });
    await expectNoPush();
    expect(service.requests.filter(({ method }) => method !== 'GET')).toEqual([]);
  },
);

describe('if the service sends no names, the id of a val that you pushed under another name', () => {
  async function pushedThenListedAs(name: string) {
    const service = await scriptedService([], ({ method, path }) => {
      if (path === '/v1/me') return { body: { id: 'me' } };
      if (path.startsWith('/v1/users/')) return { status: 404 };
      if (path === '/v1/vals/prod-id' && method === 'PUT') return { status: 409, body: {} };
      return { body: { id: 'prod-id', code: 'precious', version: 1, author: { id: 'me' } } };
    });
    const place = workspaceWith(service.env, { 'prod.ts': 'precious' });
    expect(await place.words(['push'])).toEqual({ 'prod.ts': 'pushed' });
    place.remove('prod.ts');
    putManifest(place, { 'notes.ts': { name, id: 'prod-id' } });
    const sent = () =>
      service.requests
        .filter(({ method }) => method !== 'GET')
        .map(({ method, path }) => `${method} ${path}`);
    return { place, sent };
  }

  it('does not make push write to the val of the new name', async () => {
    const { place, sent } = await pushedThenListedAs('other');
    place.put({ 'notes.ts': 'evil' });
    expect(await place.words(['push'], 5)).toEqual({ 'notes.ts': 'failed' });
    expect(sent()).toEqual(['PUT /v1/vals', 'PUT /v1/vals/prod-id']);
  });

  it('does not make push --prune delete that val', async () => {
    const { place, sent } = await pushedThenListedAs('notes');
    const [row] = await place.rows(['push', '--prune', '--yes'], 5);
    expect(row?.error?.message).toContain('the val is named "prod" on the service');
    expect(sent()).toEqual(['PUT /v1/vals']);
  });
});

describe.each([['after a push'], ['in a fresh checkout']])('a val that was forgotten %s', (when) => {
  async function forgotten() {
    const { place, service, id } = await checkout();
    if (when === 'after a push') expect(await place.words(['push'])).toEqual({ 'prod.ts': 'unchanged' });
    expect(await place.words(['forget', 'prod'])).toEqual({ 'prod.ts': 'forgotten' });
    putManifest(place, { 'lib/prod.ts': { name: 'prod', id } });
    return { place, service, id };
  }

  it('is not overwritten if a commit lists it for another file', async () => {
    const { place, service, id } = await forgotten();
    place.put({ 'lib/prod.ts': 'evil' });
    expect(await place.status()).toEqual({ 'lib/prod.ts': 'conflict' });
    expect(await place.words(['push'], 5)).toEqual({ 'lib/prod.ts': 'failed' });
    expect(await service.code(id)).toBe('precious');
  });

  it('is not deleted by push --prune if a commit lists it for a file that is gone', async () => {
    const { place, service, id } = await forgotten();
    const [row] = await place.rows(['push', '--prune', '--yes'], 5);
    expect(row?.error?.message).toContain('this folder never pulled or pushed the val');
    expect(await service.code(id)).toBe('precious');
  });
});

describe('a service that sends texts of more than 1,000 characters', () => {
  const long = 'x'.repeat(1_001);
  const serviceWith = (val: object) =>
    scriptedService([], ({ method, path }) => {
      if (path.startsWith('/v1/vals')) return { status: method === 'PUT' ? 201 : 200, body: val };
      return { status: 404 };
    });

  it('gets no id of that length into vals.json', async () => {
    const service = await serviceWith({ id: long, version: long });
    const place = workspaceWith(service.env, { 'a.ts': 'a' });
    expect(await place.words(['push'])).toEqual({ 'a.ts': 'created' });
    expect(place.manifest().vals).toEqual({ 'a.ts': { name: 'a' } });
  });

  it.each(['name', 'version', 'updatedAt'])('gets no %s of that length into the workspace', async (field) => {
    const service = await serviceWith({ id: 'x', name: 'a', code: 'a', [field]: long });
    const place = new Place(temporaryFolder(), service.env);
    putManifest(place, { 'a.ts': { name: 'a', id: 'x' } });
    place.put({ 'a.ts': 'a' });
    expect(await place.vals('pull')).toMatchObject({ exit: 11 });
    expect(place.manifest().vals['a.ts']?.name).toBe('a');
  });
});

it('a version with a line break makes no line of its own on the screen', async () => {
  const service = await scriptedService([], () => ({
    body: { id: 'x', name: 'a', code: 'there', version: '3\nforged' },
  }));
  const place = new Place(temporaryFolder(), service.env);
  putManifest(place, { 'a.ts': { name: 'a', id: 'x' } });
  place.put({ 'a.ts': 'here' });
  for (const args of [['diff'], ['run', 'a.ts'], ['version', 'diff', 'a', '1']]) {
    expect((await place.onScreen(args)).screen, `${args}`).not.toMatch(/^forged/m);
  }
});

describe('a new file, if the list of vals is too slow to be read to its end', () => {
  it('is pushed only with --force', async () => {
    let count = 0;
    const service = await scriptedService([], ({ method, path }) => {
      if (method === 'PUT') return { status: 200, body: { id: 'p', name: 'prod', version: 2 } };
      if (path === '/v1/me') return { body: { id: 'me' } };
      count += 1;
      const body = { data: [{ id: `${count}`, name: `n${count}` }], links: { next: `?offset=${count}` } };
      return (response) => void setTimeout(() => response.end(JSON.stringify(body)), 600);
    });
    const place = new Place(temporaryFolder(), service.env);
    place.put({ 'vals.json': '{"vals":{}}', 'prod.ts': 'evil' });
    const sent = () => service.requests.filter(({ method }) => method === 'PUT').length;
    for (const args of [[], ['prod.ts'], ['--fork'], ['--dry-run']]) {
      const [row] = await place.rows(['push', '--timeout', '1', ...args], 5);
      expect(row?.error?.message).toContain('it is not known whether you already have a val named "prod"');
    }
    expect(sent()).toBe(0);
    expect(await place.words(['push', '--timeout', '1', '--force'], 0)).toEqual({ 'prod.ts': 'pushed' });
    expect(sent()).toBe(1);
  });
});

describe('a new file, if the second page of the list of vals cannot be read', () => {
  const brokenPages = [{ status: 400, body: {} }, { body: '"soon"' }];

  it.each(brokenPages)('is pushed only with --force (%o)', async (brokenPage) => {
    const id = '4f2c0c1e-6a53-4bd2-9a2e-1f1f3f0b9c11';
    const renamed = { id, name: 'prod', code: 'mine', version: 1 };
    const service = await scriptedService([], ({ method, path }) => {
      if (method === 'PUT') return { status: 200, body: { id: 'p', name: 'prod', version: 2 } };
      if (path === '/v1/me') return { body: { id: 'me' } };
      if (path === `/v1/vals/${id}`) return { body: { ...renamed, author: { id: 'me' } } };
      if (/offset=[1-9]/.test(path)) return brokenPage;
      return { body: { data: [{ id: 'a', name: 'a' }], links: { next: '?offset=1' } } };
    });
    const place = new Place(temporaryFolder(), service.env);
    // vals remembers the name of this val, but the val gets another name on the service.
    expect(await place.vals('me')).toMatchObject({ exit: 0 });
    expect(await place.vals('val', 'get', id)).toMatchObject({ exit: 0 });
    renamed.name = 'old';
    place.put({ 'vals.json': '{"vals":{}}', 'prod.ts': 'evil' });
    const sent = () => service.requests.filter(({ method }) => method === 'PUT').length;
    const [row] = await place.rows(['push'], 5);
    expect(row?.error?.message).toContain('it is not known whether you already have a val named "prod"');
    expect(sent()).toBe(0);
    expect(await place.words(['push', '--force'], 0)).toEqual({ 'prod.ts': 'pushed' });
    expect(sent()).toBe(1);
  });
});

describe('a new file, if the links of the list of vals lead in a circle', () => {
  const pageWith = (id: string, next: string) => ({ data: [{ id, name: id }], links: { next } });
  const firstPages = {
    'to the first page itself': pageWith('a', '?limit=100&offset=0'),
    'of two pages': pageWith('a', '?cursor=2'),
  };

  it.each(Object.entries(firstPages))('%s, is pushed only with --force', async (_circle, firstPage) => {
    const service = await scriptedService([], ({ method, path }) => {
      if (method === 'PUT') return { status: 200, body: { id: 'p', name: 'prod', version: 2 } };
      if (path === '/v1/me') return { body: { id: 'me' } };
      return { body: path.includes('cursor=2') ? pageWith('b', '?cursor=2') : firstPage };
    });
    const place = workspaceWith(service.env, { 'prod.ts': 'evil' });
    const sent = () => service.requests.filter(({ method }) => method === 'PUT').length;
    for (const args of [[], ['--dry-run']]) {
      const [row] = await place.rows(['push', ...args], 5);
      expect(row?.error?.message).toContain('it is not known whether you already have a val named "prod"');
    }
    expect(sent()).toBe(0);
    expect(await place.words(['push', '--force'], 0)).toEqual({ 'prod.ts': 'pushed' });
    expect(sent()).toBe(1);
  });
});

describe('a pull writes no file into a repository below the workspace', () => {
  it.each(['.git', 'vals.json'])('with %s', async (mark) => {
    const { place, service, id } = await checkout('nested/deep/prod.ts');
    const other = await service.edit('other', 'code');
    place.put({ [`nested/${mark}`]: '{"vals":{}}' });
    place.remove('nested/deep/prod.ts');
    const pullsOfListed = [[], ['nested/deep/prod.ts'], ['--force'], ['--dry-run']];
    const pullsOfOther = [[other.id, '--file', 'nested/other.ts']];
    for (const args of [...pullsOfListed, ...pullsOfOther]) {
      const [row] = await place.rows(['pull', ...args], 10);
      expect(row?.error?.message, `${args}`).toContain('it is in another repository or workspace');
    }
    expect(readdirSync(join(place.folder, 'nested'), { recursive: true }).sort()).toEqual(
      [mark, 'deep'].sort(),
    );
    place.put({ 'nested/deep/prod.ts': 'mine' });
    await place.rows(['pull', '--force'], 10);
    expect(place.read('nested/deep/prod.ts')).toBe('mine');
    expect(await read(service, id)).toEqual({ name: 'prod', code: 'precious' });
  });
});
