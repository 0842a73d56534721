import { expect, it } from 'vitest';
import { startStrict } from '../support/strict-service.ts';
import { kindsOfServices, pushed, withEverything, workspaceWith } from './places.ts';

it('push adopts a val with the same code', async () => {
  const service = await startStrict(withEverything);
  const { id } = service.edit('hello', 'theirs');
  const place = workspaceWith(service.env, { 'hello.ts': 'theirs' });
  expect(await place.words(['push'])).toEqual({ 'hello.ts': 'unchanged' });
  expect(service.writes()).toEqual([]);
  expect(place.records().hello?.id).toBe(id);
});

it.each(kindsOfServices)(
  'a val that somebody made with the name of a file is not overwritten: %s',
  async (_kind, switches) => {
    const service = await startStrict(switches);
    service.edit('hello', 'theirs');
    const place = workspaceWith(service.env, { 'hello.ts': 'mine' });
    const reason = switches.list ? 'both changed' : 'name taken';
    expect(await place.status()).toEqual({ 'hello.ts': switches.list ? 'conflict' : 'new' });
    expect(await place.rows(['push'], 5)).toMatchObject([{ status: 'failed', reason }]);
    expect(service.codes('hello')).toEqual(['theirs']);
  },
);

it('a remembered val with the name of the file is a conflict too', async () => {
  const service = await startStrict();
  const { id } = service.edit('hello', 'theirs');
  const place = workspaceWith(service.env, { 'hello.ts': 'mine' });
  await place.vals('me');
  await place.vals('val', 'get', id);
  expect(await place.status()).toEqual({ 'hello.ts': 'conflict' });
  expect(await place.words(['push'], 5)).toEqual({ 'hello.ts': 'failed' });
});

it('many failures of one kind are one message with one hint', async () => {
  const { place, service } = await pushed({ 'a.ts': 'a', 'b.ts': 'b' });
  for (const name of ['a', 'b']) service.edit(name, 'theirs');
  place.put({ 'a.ts': 'mine', 'b.ts': 'mine' });
  const { exit, stderr } = await place.vals('push');
  expect(exit).toBe(5);
  expect(stderr.split('\n')).toEqual([
    'error: None of the 2 vals was pushed: a.ts and b.ts went another way than the service, and neither is known to be newer.',
    expect.stringMatching(
      /^hint: For a\.ts: .* `vals diff a\.ts`\. .* `vals pull a\.ts --merge`\. .* `vals push a\.ts --force`\./,
    ),
    '',
  ]);
  const marked = '<<<<<<< here\nX\n=======\nY\n>>>>>>> there\n';
  place.put({ 'c.ts': marked, 'd.ts': marked });
  const unmerged = await place.vals('push', 'c.ts', 'd.ts');
  expect(unmerged.stderr).toContain(': c.ts and d.ts have conflict markers.');
});

it('two vals with the name of a file are exit 2, which names both', async () => {
  const service = await startStrict(withEverything);
  const ids = [service.edit('hello', '1').id, service.edit('other', '2').id];
  service.rename('other', 'hello');
  const place = workspaceWith(service.env, { 'hello.ts': 'mine' });
  for (const args of [['status'], ['push', '--force']]) {
    const { exit, stderr } = await place.vals(...args);
    expect({ args, exit }).toEqual({ args, exit: 2 });
    for (const id of ids) expect(stderr).toContain(id);
  }
});
