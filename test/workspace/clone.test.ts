import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { ends, startProcess, temporaryFolder, valNames } from '../support/program.ts';
import { startStrict } from '../support/strict-service.ts';
import { withResolvers } from '../support/with-resolvers.ts';
import { Place, pushed, reachableService, repository, withEverything, workspaceWith } from './places.ts';

const many = valNames(60);

async function serviceOf(names: readonly string[]) {
  const service = await startStrict(withEverything);
  for (const name of names) service.edit(name, `code of ${name}`);
  const reads = () => service.requests.splice(0).filter(({ path }) => path.startsWith('/v1/vals/')).length;
  return { service, reads };
}

const hasAll = (place: Place) => {
  for (const name of many) expect(place.read(`${name}.ts`)).toBe(`code of ${name}`);
};

describe('vals clone', () => {
  it('makes a folder with every val, from which a push works', async () => {
    const { service, reads } = await serviceOf(many);
    const place = new Place(temporaryFolder(), service.env);
    const rows = await place.rows(['clone', 'mine']);
    expect(rows).toHaveLength(many.length);
    const { id } = service.val('val7');
    expect(rows).toContainEqual({ file: 'val7.ts', name: 'val7', status: 'pulled', id, version: 1 });
    expect(reads()).toBe(many.length);
    const mine = new Place(join(place.folder, 'mine'), service.env, place.home);
    hasAll(mine);
    expect(new Set(Object.values(await mine.status()))).toEqual(new Set(['unchanged']));
    expect(reads()).toBe(0);
  });

  it('names the folder after the host, lists the service in vals.json, and refuses a folder that is not empty or in a workspace', async () => {
    const service = await reachableService('vals.test', { list: true });
    service.edit('one', '1');
    const place = new Place(temporaryFolder(), service.env);
    place.put({ file: '' });
    expect(await place.words(['clone'])).toEqual({ 'one.ts': 'pulled' });
    expect(JSON.parse(place.read('vals.test/vals.json'))).toEqual({ services: ['http://vals.test'] });
    place.put({ 'filled/notes.txt': '' });
    for (const [args, message] of [
      [['clone', 'filled'], 'is not empty'],
      [['clone', 'file'], 'is not a folder'],
      [['clone', 'vals.test/again'], 'already in a workspace'],
      [['clone', 'https://vals.example.com/@acme'], '`vals clone --base-url https://vals.example.com/@acme`'],
    ] as const) {
      expect(await place.vals(...args)).toMatchObject(ends(2, message));
    }
  });

  it('needs a list of vals, and leaves no folder behind without one', async () => {
    const { env, baseUrl } = await startStrict();
    const place = new Place(temporaryFolder(), env);
    const { exit, stderr } = await place.vals('clone', 'mine');
    expect(exit).toBe(6);
    expect(stderr).toContain(`${baseUrl} cannot list your vals, so vals can be pulled only by their ids.`);
    expect(existsSync(join(place.folder, 'mine'))).toBe(false);
    place.put({ 'vals.json': '{}' });
    expect((await place.vals('pull', '--all')).exit).toBe(6);
  });

  it('says at a terminal how many vals there are, and the next command', async () => {
    const { service } = await serviceOf(['one', 'two']);
    const { screen } = await new Place(temporaryFolder(), service.env).onScreen(['clone', 'mine']);
    expect(screen).toContain('mine has all 2 vals of the service.');
    expect(screen).toContain('`cd mine`');
    expect(screen).not.toContain('one.ts');
  });

  it.each(['SIGINT', 'SIGKILL'] as const)('goes on with pull --all after %s', async (signal) => {
    const { promise: isReached, resolve: reached } = withResolvers();
    const { service, reads } = await serviceOf(many);
    service.switches.instead = ({ path }) => {
      if (service.requests.length < 30 || !path.startsWith('/v1/vals/')) return undefined;
      reached();
      return () => {};
    };
    const folder = temporaryFolder();
    const env = { ...service.env, VALS_DATA_DIR: temporaryFolder() };
    const { child, ended } = startProcess(['clone', 'mine'], { env, cwd: folder });
    await isReached;
    child.kill(signal);
    const { stdout, stderr } = await ended;
    if (signal === 'SIGINT') {
      expect(stdout).toContain('pulled\tval');
      expect(stderr).toMatch(/Interrupted: \d+ of 60 vals were pulled/);
    }
    expect(reads()).toBeGreaterThan(15);
    service.switches.instead = undefined;
    expect(await new Place(folder, env).vals('clone', 'mine')).toMatchObject(ends(2, '`vals pull --all`'));
    const place = new Place(join(folder, 'mine'), env);
    const rows = await place.rows(['pull', '--all']);
    const isUnchanged = rows.filter(({ status }) => status === 'unchanged').length;
    expect(isUnchanged).toBeGreaterThan(0);
    expect(reads()).toBeLessThan(many.length);
    hasAll(place);
  });
});

describe('vals pull --all', () => {
  it('adds the other vals, and keeps files that were edited here', async () => {
    const { place, service } = await pushed({ 'a.ts': 'a', 'b.ts': 'b' }, await startStrict({ list: true }));
    service.edit('b', 'b2');
    service.edit('c', 'c');
    place.put({ 'a.ts': 'edited' });
    const pullAll = ['pull', '--all'];
    const planned = { 'a.ts': 'kept', 'b.ts': 'planned', 'c.ts': 'planned' };
    expect(await place.words([...pullAll, '--dry-run'])).toEqual(planned);
    expect(await place.words(pullAll)).toEqual({ 'a.ts': 'kept', 'b.ts': 'pulled', 'c.ts': 'pulled' });
    const after = { 'a.ts': 'changed here', 'b.ts': 'unchanged', 'c.ts': 'unchanged' };
    expect(await place.status()).toEqual(after);
    expect((await place.vals(...pullAll, 'a.ts')).exit).toBe(2);
  });

  it('does not bring back a val whose file was deleted here', async () => {
    const { env } = await startStrict({ list: true });
    const place = repository(env, { 'a.ts': 'a', 'lib/b.ts': 'b' });
    await place.rows(['push']);
    place.remove('lib');
    const { exit, stdout, stderr } = await place.vals('pull', '--all');
    expect({ exit, stdout }).toEqual({ exit: 0, stdout: expect.stringMatching(/^unchanged\ta\t.*\n$/) });
    expect(stderr).toBe(
      'Left out, because their files were deleted here: b. To restore a file, run `vals pull b`.\n',
    );
    expect(await place.words(['pull', 'b'])).toEqual({ 'lib/b.ts': 'pulled' });
  });

  it('is suggested if there is nothing to pull', async () => {
    const place = workspaceWith((await startStrict()).env);
    expect((await place.onScreen(['pull'])).screen).toContain('`vals pull --all`');
  });
});
