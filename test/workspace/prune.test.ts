import { describe, expect, it } from 'vitest';
import { ends } from '../support/program.ts';
import { startStrict } from '../support/strict-service.ts';
import {
  type Clone,
  kindsOfServices,
  pushed,
  reachableService,
  repository,
  type Service,
  serviceWith,
  withEverything,
} from './places.ts';

const names = (service: Service): string[] =>
  service
    .vals()
    .map(({ name }) => name)
    .sort();

/** The files of the vals a and b were deleted, and the val elsewhere never had one here. */
async function workspace(switches = withEverything): Promise<{ place: Clone; service: Service }> {
  const service = await startStrict(switches);
  const place = repository(service.env, { 'a.ts': 'a', 'b.ts': 'b', 'c.ts': 'c' });
  await place.rows(['push']);
  service.edit('elsewhere', 'x');
  place.commit({ 'a.ts': undefined, 'b.ts': undefined });
  return { place, service };
}

it.each(kindsOfServices)(
  'push --prune deletes the vals whose files are gone, and no others: %s',
  async (_kind, switches) => {
    const { place, service } = await workspace(switches);
    for (const args of [['push'], ['push', '.']]) {
      expect((await place.vals(...args)).stderr).toBe(
        'These vals have lost their files: a and b. To delete them on the service, run `vals push --prune`.\n',
      );
    }
    const job = place.at('.', { GITHUB_ACTIONS: 'true' });
    expect((await job.vals('push')).stderr).toBe(
      '::warning::These vals have lost their files: a and b. To delete them on the service, add --prune.\n',
    );
    const missing = { 'a.ts': 'missing here', 'b.ts': 'missing here' };
    expect(await place.status()).toEqual({ ...missing, 'c.ts': 'unchanged' });
    const planned = { 'a.ts': 'planned', 'b.ts': 'planned', 'c.ts': 'unchanged' };
    expect(await place.words(['push', '--prune', '--dry-run'])).toEqual(planned);
    expect(names(service)).toEqual(['a', 'b', 'c', 'elsewhere']);
    const deleted = { 'a.ts': 'deleted', 'b.ts': 'deleted', 'c.ts': 'unchanged' };
    expect(await place.words(['push', '--prune', '--yes'])).toEqual(deleted);
    expect(names(service)).toEqual(['c', 'elsewhere']);
    expect(await place.words(['push', '--prune'])).toEqual({ 'c.ts': 'unchanged' });
    place.put({ 'a.ts': 'again' });
    expect(await place.words(['push'])).toEqual({ 'a.ts': 'created', 'c.ts': 'unchanged' });
  },
);

it('a file that is deleted in the working tree or in the index is gone, too', async () => {
  const { place, service } = await workspace();
  const fresh = place.clone();
  // Nobody deleted what a sparse checkout leaves out.
  const sparse = place.clone();
  sparse.git('sparse-checkout', 'set', '--no-cone', '/*', '!c.ts');
  expect(await sparse.status()).toEqual({ 'a.ts': 'missing here', 'b.ts': 'missing here' });
  for (const each of [place, fresh]) {
    each.remove('c.ts');
    expect(await each.status()).toMatchObject({ 'c.ts': 'missing here' });
  }
  place.git('rm', '-q', '--cached', 'c.ts');
  expect(await place.words(['push', '--prune', '--yes'])).toMatchObject({ 'c.ts': 'deleted' });
  expect(names(service)).toEqual(['elsewhere']);
});

describe('the question of push --prune', () => {
  it('lists the vals, and does nothing after a no', async () => {
    const { place, service } = await workspace();
    place.put({ 'c.ts': 'c2' });
    const question = `Delete 2 vals with all their versions on ${service.baseUrl}? [y/N]`;
    const ask = (keys: string, ...more: string[]) =>
      place.onScreen(['push', '--prune', ...more], { answers: [{ after: question, keys }], columns: 200 });
    for (const more of [[], ['--force']]) {
      const refused = await ask('n\r', ...more);
      expect(refused.exit).toBe(2);
      expect(refused.screen).toMatch(/ {2}a {2}version 1 {2}.*a\.ts/);
    }
    expect(names(service)).toEqual(['a', 'b', 'c', 'elsewhere']);
    expect(service.code('c')).toBe('c');
    expect((await ask('y\r')).exit).toBe(0);
    expect(names(service)).toEqual(['c', 'elsewhere']);
  });

  it('may be open while a file comes back', async () => {
    const { place, service } = await workspace();
    const beforeKeys = async () => place.put({ 'b.ts': 'b' });
    const answers = [{ after: '[y/N]', keys: 'y\r', beforeKeys }];
    expect(await place.onScreen(['push', '--prune'], { answers })).toMatchObject({ exit: 0 });
    expect(names(service)).toEqual(['b', 'c', 'elsewhere']);
  });
});

describe('push --prune does not delete', () => {
  it('a val whose code the history of its file does not have', async () => {
    const { place, service } = await workspace();
    service.edit('a', 'theirs');
    const { exit, stdout, stderr } = await place.vals('push', '--prune', '--yes');
    expect(exit).toBe(0);
    expect(stderr).toContain(
      'The val "a" was left, because a.ts is gone, but its history in git does not have the code that the val has now.',
    );
    expect(stdout).toContain('deleted\tb\t');
    expect(names(service)).toEqual(['a', 'c', 'elsewhere']);
    expect(await place.status()).toEqual({ 'c.ts': 'unchanged' });
  });

  it('a val that somebody changes while it is deleted', async () => {
    const service = await serviceWith(({ method }, there) => {
      if (method === 'DELETE') there.edit('a', 'theirs');
      return undefined;
    });
    const place = repository(service.env, { 'a.ts': 'a' });
    await place.rows(['push']);
    place.commit({ 'a.ts': undefined });
    expect(await place.words(['push', '--prune', '--yes'], 5)).toEqual({ 'a.ts': 'failed' });
    expect(names(service)).toEqual(['a']);
  });

  it('anything without a repository (2) or without git (10)', async () => {
    const { place } = await pushed({ 'a.ts': 'a' });
    place.remove('a.ts');
    expect(await place.vals('push', '--prune', '--yes')).toMatchObject({ exit: 2 });
    const withGit = await workspace();
    expect(await withGit.place.at('.', { PATH: '/nowhere' }).vals('push', '--prune', '--yes')).toMatchObject(
      ends(10, 'git is not installed here'),
    );
    expect(names(withGit.service)).toHaveLength(4);
  });

  it('anything in a shallow checkout (5), where git lacks the history that tells what was deleted', async () => {
    const { place, service } = await workspace();
    const shallow = place.clone('--depth=1');
    const refused = await shallow.vals('push', '--prune', '--yes');
    expect(refused).toMatchObject(ends(5, '--prune did nothing, because this checkout is shallow'));
    expect(refused.stderr).toContain('fetch-depth: 0');
    expect(names(service)).toHaveLength(4);
    expect(await place.clone().words(['push', '--prune', '--yes'])).toMatchObject({ 'a.ts': 'deleted' });
  });

  it('the val of a file that an ignore file lists by now', async () => {
    const { place, service } = await workspace();
    place.git('rm', '-q', '--cached', 'c.ts');
    place.commit({ '.gitignore': 'c.ts\n' });
    expect(await place.status()).toEqual({ 'a.ts': 'missing here', 'b.ts': 'missing here' });
    await place.rows(['push', '--prune', '--yes']);
    expect(names(service)).toEqual(['c', 'elsewhere']);
  });

  it('the val of a file that git moved to another workspace of the repository', async () => {
    const service = await startStrict(withEverything);
    const top = repository(service.env, { 'a/vals.json': '{}', 'a/greet.ts': '1', 'b/vals.json': '{}' });
    await top.rows(['push', 'a']);
    top.move('a/greet.ts', 'b/greet.ts');
    const fresh = top.clone();
    expect(await fresh.vals('push', 'b')).toMatchObject({ exit: 0, stderr: '' });
    for (const each of [fresh, top]) {
      expect(await each.at('a').vals('push', '--prune', '--yes')).toMatchObject(
        ends(0, 'greet.ts is gone, but ../b/greet.ts has its code'),
      );
    }
    expect(names(service)).toEqual(['greet']);
  });

  it('anything with --watch, --name or a path, or without an answer to its question', async () => {
    const { place, service } = await workspace();
    for (const more of ['--yes --watch', '--yes c.ts', '--yes c.ts --name x', '--force']) {
      expect(await place.vals('push', '--prune', ...more.split(' ')), more).toMatchObject({ exit: 2 });
    }
    const message =
      /^error: Nothing was sent\. Cannot ask without a terminal whether to delete .*\nhint: To go on without a question, add --yes\.\n/m;
    const unasked = { exit: 2, stderr: expect.stringMatching(message) };
    expect(await place.vals('push', '--prune')).toMatchObject(unasked);
    expect(names(service)).toHaveLength(4);
  });
});

it.each(kindsOfServices)(
  'a file that was renamed is a new val, and the old one is left: %s',
  async (_kind, switches) => {
    const { place, service } = await workspace(switches);
    place.move('c.ts', 'd.ts');
    expect(await place.status()).toMatchObject({ 'c.ts': 'missing here', 'd.ts': 'new' });
    expect((await place.vals('push')).stderr).toBe(
      [
        'These vals have lost their files: a, b and c. To delete a and b on the service, run `vals push --prune`. To delete c on the service, run `vals val rm c`.',
        'd.ts is a new val. If it is a renamed file that shall keep the val "c", write "d.ts": "c" into "names" of vals.json. Where the service can rename vals, `vals val set c --name d` before the push keeps it, too.\n',
      ].join('\n'),
    );
    expect((await place.vals('push', '--prune', '--yes')).stderr).toContain(
      'The val "c" was left, because c.ts is gone, but d.ts has its code.',
    );
    expect(names(service)).toEqual(['c', 'd', 'elsewhere']);
    expect(await place.status()).toEqual({ 'c.ts': 'missing here', 'd.ts': 'unchanged' });
    place.put({ 'vals.json': '{"names": {"d.ts": "c"}}' });
    expect(await place.words(['push'])).toEqual({ 'd.ts': 'unchanged' });
  },
);

describe('where vals.json has the ids', () => {
  const start = async () => {
    const service = await reachableService('vals.test');
    const place = repository(service.env, { 'a.ts': 'a', 'b.ts': 'b' });
    await place.rows(['push']);
    return { service, place: place.commit() };
  };
  const idsOf = (place: Clone) => Object.keys(place.manifest().ids?.['http://vals.test'] ?? {});

  it('push --prune takes the entry of a deleted val away, so that its file may come back', async () => {
    const { place } = await start();
    place.commit({ 'a.ts': undefined });
    const job = place.clone();
    const { stderr } = await place.vals('push', '--prune', '--yes');
    expect(stderr).toBe(
      '"ids" of vals.json does not have a any more, because that val is gone. Commit vals.json.\n',
    );
    expect(idsOf(place)).toEqual(['b']);
    place.commit({ 'a.ts': 'again' });
    expect(await place.clone().words(['push'])).toEqual({ 'a.ts': 'created', 'b.ts': 'unchanged' });
    // A job has the entry still. A commit takes it away.
    job.commit({ 'a.ts': 'again' });
    const [row] = await job.rows(['push'], 5);
    expect(row).toMatchObject({
      reason: 'deleted there',
      error: {
        hint: 'If the val belongs to somebody else, use their token; if it was deleted, remove "a" from "ids" of vals.json, and the next push makes it anew. To see all ways, run `vals diff a.ts`.',
      },
    });
  });

  it('a val that somebody else deletes meanwhile is failed, as for `val rm`', async () => {
    const { place, service } = await start();
    place.commit({ 'a.ts': undefined });
    service.switches.instead = ({ method }) => {
      if (method === 'DELETE') service.remove('a');
      return undefined;
    };
    expect(await place.words(['push', '--prune', '--yes'], 3)).toEqual({
      'a.ts': 'failed',
      'b.ts': 'unchanged',
    });
  });
});
