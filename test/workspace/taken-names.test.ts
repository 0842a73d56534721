import { describe, expect, it } from 'vitest';
import { temporaryFolder } from '../support/program.ts';
import { scriptedService } from '../support/scripted-service.ts';
import { Place, pushed, workspaceWith } from './support.ts';

const id = '4f2c0c1e-6a53-4bd2-9a2e-1f1f3f0b9c11';
const val = { id, name: 'hello', code: 'theirs', version: 2 };

async function workspace(hasList: boolean, files: Record<string, string> = { 'hello.ts': 'mine' }) {
  const service = await scriptedService([], ({ method, path }) => {
    if (path === '/v1/me') return { body: { id: 'me' } };
    if (path.startsWith('/v1/users/me/vals'))
      return hasList ? { body: { data: [val], links: {} } } : { status: 404 };
    return method === 'PUT' ? { body: { ...val, version: 3 } } : { body: val };
  });
  const place = workspaceWith(service.env, { ...files });
  const puts = () => service.requests.filter(({ method }) => method === 'PUT').length;
  return { place, puts };
}

const listed = { 'vals.json': '{"vals":{"hello.ts":{"name":"hello"}}}' };

describe('if the service has a list', () => {
  it.each<[string[]]>([
    [['push']],
    [['push', 'hello.ts']],
    [['push', '--dry-run']],
    [['push', 'hello.ts', '--dry-run']],
  ])('%j is a conflict, whether vals.json names the file or not', async (args) => {
    for (const manifest of [{}, listed]) {
      const { place, puts } = await workspace(true, { 'hello.ts': 'mine', ...manifest });
      const [row] = await place.rows(args, 5);
      expect(row).toMatchObject({ file: 'hello.ts', status: 'failed', error: { kind: 'conflict', exit: 5 } });
      expect(puts()).toBe(0);
    }
  });

  it('status says that it differs, and diff shows the difference', async () => {
    const { place } = await workspace(true);
    expect(await place.status()).toEqual({ 'hello.ts': 'differs' });
    expect((await place.vals('diff')).stdout).toContain('-theirs');
  });

  it('push --force sends the file', async () => {
    const { place, puts } = await workspace(true);
    expect(await place.words(['push', '--force'])).toEqual({ 'hello.ts': 'pushed' });
    expect(puts()).toBe(1);
    expect(place.idOf('hello.ts')).toBe(id);
  });

  it.each(['push', 'pull'])('%s adopts a val with the same code', async (command) => {
    const { place, puts } = await workspace(true, { ...listed, 'hello.ts': 'theirs' });
    expect(await place.status()).toEqual({ 'hello.ts': 'unchanged' });
    expect(place.idOf('hello.ts')).toBe('');
    expect(await place.words([command])).toEqual({ 'hello.ts': 'unchanged' });
    expect(puts()).toBe(0);
    expect(place.idOf('hello.ts')).toBe(id);
  });

  it('pull --merge and pull --force resolve the conflict', async () => {
    const { place } = await workspace(true, { ...listed, 'hello.ts': 'mine' });
    expect(await place.words(['pull'], 5)).toEqual({ 'hello.ts': 'failed' });
    expect(await place.words(['pull', '--merge'], 5)).toEqual({ 'hello.ts': 'failed' });
    expect(place.read('hello.ts')).toContain('<<<<<<< here');
    expect(place.idOf('hello.ts')).toBe(id);
    const { place: other } = await workspace(true, { ...listed, 'hello.ts': 'mine' });
    expect(await other.words(['pull', '--force'])).toEqual({ 'hello.ts': 'pulled' });
    expect(other.read('hello.ts')).toBe('theirs');
  });

  it('a file with another name is new', async () => {
    const { place } = await workspace(true, { 'other.ts': 'mine' });
    expect(await place.status()).toEqual({ 'other.ts': 'new' });
    expect(await place.vals('push', '--dry-run')).toMatchObject({ exit: 0, stderr: '' });
  });
});

it('push says that it replaced the code of a val that was created after the list was read', async () => {
  const service = await scriptedService([], ({ method, path }) => {
    if (path === '/v1/me') return { body: { id: 'me' } };
    return method === 'PUT' ? { body: val } : { body: { data: [], links: {} } };
  });
  const place = workspaceWith(service.env, { 'hello.ts': 'mine' });
  const { exit, stderr } = await place.vals('push');
  expect({ exit, stderr }).toEqual({
    exit: 0,
    stderr: expect.stringContaining('hello.ts replaced the code of the val "hello"'),
  });
});

describe('if the service has no list', () => {
  it.each<[string[]]>([[['push', '--dry-run']], [['push', 'hello.ts', '--dry-run']]])(
    '%j says that a val may be taken over',
    async (args) => {
      const { place, puts } = await workspace(false);
      const { exit, stdout, stderr } = await place.vals(...args);
      expect({ exit, stdout }).toEqual({ exit: 0, stdout: 'planned\thello\t\t\thello.ts\n' });
      expect(stderr).toContain(
        'If the service already has a val with the name of hello.ts, a push replaces the code of that val.',
      );
      expect(puts()).toBe(0);
    },
  );

  it('status says that a val may be taken over, and push says that it replaced the code', async () => {
    const { place, puts } = await workspace(false, { ...listed, 'hello.ts': 'mine' });
    const { stdout, stderr } = await place.vals('status');
    expect(stdout).toContain('new');
    expect(stderr).toContain('a push replaces the code of that val');
    expect((await place.vals('push')).stderr).toContain('hello.ts replaced the code of the val "hello"');
    expect(puts()).toBe(1);
  });

  it('a remembered val with the name of the file is a conflict too', async () => {
    const { place, puts } = await workspace(false);
    await place.vals('me');
    await place.vals('val', 'create', 'hello', 'hello.ts');
    expect(await place.status()).toEqual({ 'hello.ts': 'differs' });
    expect(await place.words(['push'], 5)).toEqual({ 'hello.ts': 'failed' });
    expect(puts()).toBe(0);
  });
});

describe('many failures', () => {
  it('of one kind are one message with one hint', async () => {
    const { place, service } = await pushed({ 'a.ts': 'a', 'b.ts': 'b' });
    for (const name of ['a', 'b']) await service.edit(name, 'theirs');
    place.put({ 'a.ts': 'mine', 'b.ts': 'mine' });
    const { exit, stderr } = await place.vals('push');
    expect(exit).toBe(5);
    expect(stderr.split('\n')).toEqual([
      'error: None of the 2 vals was pushed: a.ts and b.ts changed here and on the service.',
      expect.stringMatching(
        /^hint: .* `vals diff a.ts b.ts`\. .* `vals pull a.ts b.ts --merge`\. .* `vals push a.ts b.ts --force`\./,
      ),
      '',
    ]);
  });

  it('a refused token is reported once', async () => {
    const service = await scriptedService([], () => ({ status: 401 }));
    const place = new Place(temporaryFolder(), service.env);
    place.put({ 'a.ts': 'a', 'b.ts': 'b', 'c.ts': 'c' });
    const { exit, stderr } = await place.vals('push', 'a.ts', 'b.ts', 'c.ts');
    expect(exit).toBe(4);
    expect(stderr.match(/does not accept the token/g)).toHaveLength(1);
    expect(stderr).toMatch(/None of the 3 vals was pushed/);
  });

  it('unreadable files are reported, and nothing is sent', async () => {
    const service = await scriptedService([]);
    const place = new Place(temporaryFolder(), service.env);
    place.put({ 'a.ts': 'a', 'empty.ts': '', 'bad.ts': new Uint8Array([0xff, 0xfe, 0xfd]) });
    const two = await place.vals('push', 'a.ts', 'empty.ts', 'bad.ts');
    expect(two.exit).toBe(10);
    expect(two.stderr).toMatch(
      /^warning: empty\.ts .*\nwarning: bad\.ts .*\nerror: 2 of 3 vals were not pushed\. Nothing was sent\.\n/,
    );
    const one = await place.vals('push', 'a.ts', 'empty.ts');
    expect(one.stderr).toMatch(/^error: empty\.ts .* Nothing was sent\.\n/);
    expect(one.stderr).toContain('leave the file out of the command');
  });

  it('an empty file that no path named can be listed in .valsignore', async () => {
    const place = new Place(temporaryFolder(), { VALS_LOCAL: '1' });
    place.put({ 'a.ts': 'a' });
    await place.vals('init');
    place.put({ 'empty.ts': '' });
    const refused = await place.vals('push');
    expect(refused.exit).toBe(10);
    expect(refused.stderr).toContain('hint: Add code to the file, or list the file in .valsignore.\n');
    place.put({ '.valsignore': 'empty.ts\n' });
    expect((await place.vals('push')).exit).toBe(0);
  });
});

it('pull --all writes one of two vals with the same name, and says how to rename the other one', async () => {
  const vals = ['1', '2'].map((last) => ({ ...val, id: `${id.slice(0, -1)}${last}`, code: `code ${last}` }));
  const service = await scriptedService([], ({ path }) => {
    if (path === '/v1/me') return { body: { id: 'me' } };
    if (path.startsWith('/v1/users/me/vals')) return { body: { data: vals, links: {} } };
    return { body: vals.find((each) => path.endsWith(each.id)) };
  });
  const place = workspaceWith(service.env, { 'hello.ts': 'mine' });
  const rows = await place.rows(['pull', '--all', '--force'], 9);
  expect(rows.map(({ status }) => status).sort()).toEqual(['failed', 'pulled']);
  const pulled = place.idOf('hello.ts');
  const other = vals.find((each) => each.id !== pulled)?.id;
  expect(rows.find(({ status }) => status === 'failed')).toMatchObject({
    id: other,
    error: {
      kind: 'conflict',
      message: `The val ${other} was not pulled, because the service has another val named "hello": ${pulled}. vals.json cannot have two vals of one name.`,
      hint: `To give the val another name, run \`vals val set ${other} --name <name>\`.`,
    },
  });
  expect(place.backups()).toEqual(['mine']);
});
