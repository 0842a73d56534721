import { describe, expect, it } from 'vitest';
import { type Reply, type Seen, scriptedService } from '../support/scripted-service.ts';
import { newService, noList, pushed, serviceWith, workspaceWith } from './support.ts';

const mine = { 'hello.ts': 'mine' };

/** A workspace without records, and a service that has a val named hello. */
async function workspace(
  files: Record<string, string>,
  instead = (_seen: Seen): Reply | undefined => undefined,
) {
  const { service, env, writes } = await serviceWith(instead);
  const { id } = await service.edit('hello', 'theirs');
  return { place: workspaceWith(env, files), writes, id };
}

describe('if the service has a list', () => {
  it.each(['push', 'pull'])('%s adopts a val with the same code', async (command) => {
    const { place, writes, id } = await workspace({ 'hello.ts': 'theirs' });
    expect(await place.status()).toEqual({ 'hello.ts': 'unchanged' });
    expect(await place.words([command])).toEqual({ 'hello.ts': 'unchanged' });
    expect(writes()).toEqual([]);
    expect(place.idOf('hello.ts')).toBe(id);
  });
});

describe('if the service has no list', () => {
  it('status and a dry run say that a val may be taken over, and push says that it replaced the code', async () => {
    const { place, writes } = await workspace(mine, noList);
    for (const args of [['status'], ['push', '--dry-run'], ['push', 'hello.ts', '--dry-run']]) {
      const { exit, stdout, stderr } = await place.vals(...args);
      expect({ exit, stdout }).toEqual({
        exit: 0,
        stdout: expect.stringMatching(/^(?:new|planned)\thello\t/),
      });
      expect(stderr).toContain(
        'If the service already has a val with the name of hello.ts, a push replaces the code of that val.',
      );
    }
    expect(writes()).toEqual([]);
    expect((await place.vals('push')).stderr).toContain('hello.ts replaced the code of the val "hello"');
  });

  it('the record tells that a val was deleted or renamed there, or that its file was renamed', async () => {
    const { service, env } = await serviceWith(noList);
    const place = workspaceWith(env, { 'a.ts': 'a', 'b.ts': 'b', 'c.ts': 'c' });
    await place.rows(['push']);
    const [a, b, c] = ['a.ts', 'b.ts', 'c.ts'].map((file) => place.idOf(file));
    await service.delete(`${a}`);
    await service.ask('PUT', `/v1/vals/${b}`, { name: 'other' });
    place.move('c.ts', 'd.ts');
    expect(await place.status()).toEqual({
      'a.ts': 'deleted there',
      'b.ts': 'conflict',
      'd.ts': 'renamed here',
    });
    const rows = await place.rows(['push'], 9);
    expect(rows).toMatchObject([
      { file: 'a.ts', error: { exit: 5 } },
      { file: 'b.ts', error: { exit: 5, message: expect.stringContaining('is named "other"') } },
      { file: 'd.ts', status: 'renamed', id: c },
    ]);
    expect(await place.words(['push', 'a.ts', '--yes'])).toEqual({ 'a.ts': 'created' });
  });

  it('a remembered val with the name of the file is a conflict too', async () => {
    const { place, writes, id } = await workspace(mine, noList);
    await place.vals('me');
    await place.vals('val', 'get', id);
    expect(await place.status()).toEqual({ 'hello.ts': 'conflict' });
    expect(await place.words(['push'], 5)).toEqual({ 'hello.ts': 'failed' });
    expect(writes()).toEqual([]);
  });
});

it('many failures of one kind are one message with one hint', async () => {
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
  expect((await place.vals('pull')).stderr).toContain(': a.ts and b.ts changed here and on the service.');
  const marked = '<<<<<<< here\nX\n=======\nY\n>>>>>>> there\n';
  place.put({ 'c.ts': marked, 'd.ts': marked });
  const unmerged = await place.vals('push', 'c.ts', 'd.ts');
  expect(unmerged.stderr).toContain(': c.ts and d.ts have conflict markers.');
});

it('two vals with the name of a file are exit 2, which names both', async () => {
  const ids = ['1', '2'].map((last) => `4f2c0c1e-6a53-4bd2-9a2e-1f1f3f0b9c1${last}`);
  const vals = ids.map((id) => ({ id, name: 'hello', code: id, version: 1 }));
  const service = await scriptedService([], ({ path }) => {
    if (path === '/v1/me') return { body: { id: 'me' } };
    if (path.startsWith('/v1/users/me/vals')) return { body: { data: vals, links: {} } };
    return { body: vals.find((each) => path.endsWith(each.id)) };
  });
  const place = workspaceWith(service.env, mine);
  for (const args of [['status'], ['push'], ['push', '--force'], ['pull', '--all', '--force']]) {
    const { exit, stderr } = await place.vals(...args);
    expect({ args, exit }).toEqual({ args, exit: 2 });
    for (const id of ids) expect(stderr).toContain(id);
  }
  expect(place.read('hello.ts')).toBe('mine');
});

it('a second file of one name gets another name, and the val of the first file stays as it is', async () => {
  const place = workspaceWith((await newService()).env, { 'greet.ts': '1' });
  await place.rows(['push']);
  const before = place.idOf('greet.ts');
  place.put({ 'greet.js': '2' });
  expect((await place.vals('push', 'greet.js')).stderr).toContain('vals push greet.js --name');
  expect((await place.vals('push', 'greet.ts', '--name', 'other')).stderr).toContain(
    'already has a val: "greet"',
  );
  expect(await place.words(['push', 'greet.js', '--name', 'greetJs'])).toEqual({ 'greet.js': 'created' });
  expect(place.manifest().names).toEqual({ 'greet.js': 'greetJs' });
  expect(place.idOf('greet.ts')).toBe(before);
});
