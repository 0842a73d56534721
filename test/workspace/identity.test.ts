// A val is its id: others' vals are never mistaken for one's own, and a known val is never written by its name.
import { describe, expect, it } from 'vitest';
import { isLong } from '../support/cases.ts';
import { fasterBy } from '../support/clocks.ts';
import { folderOf, run, temporaryFolder, valNames } from '../support/program.ts';
import type { Reply, Seen } from '../support/scripted-service.ts';
import type { Switches } from '../support/strict/switches.ts';
import {
  loseAnswer,
  Place,
  reachableService,
  repository,
  type Service,
  serviceWith,
  workspaceWith,
} from './places.ts';

/** Exactly the documented API, of which others' vals show no more than GET /v1/vals/{id} does. */
const bare: Switches = { versionsOfOthers: 404, answersVersions: true };
const there = 'http://vals.test';

/** Ada has a public val, and bob a token. */
async function adaAndBob(name: string, code = 'ada', switches = bare) {
  const service = await reachableService('vals.test', switches);
  const val = service.edit(name, code);
  val.privacy = 'public';
  const bob = service.addPerson('bob');
  return { service, val, bob: bob.person, env: { ...service.env, VALS_TOKEN: bob.token } };
}

const codesOf = (service: Service, id: string): string[] =>
  service
    .vals()
    .filter((val) => val.id === id)
    .flatMap(({ versions }) => versions.map(({ code }) => code));

describe("somebody else's val that was read by its id", () => {
  it('is no val of mine, in a workspace, by name, and in the list', async () => {
    const { service, val, env } = await adaAndBob('greet');
    const place = workspaceWith(env, { 'greet.ts': 'bob' });
    expect(await place.words(['push'])).toEqual({ 'greet.ts': 'created' });
    // Without the number of the version, no list of versions tells that it is somebody else's.
    expect((await place.vals('val', 'get', val.id, '--code')).exit).toBe(0);
    expect(await place.status()).toEqual({ 'greet.ts': 'unchanged' });
    place.put({ 'greet.ts': 'bob2' });
    expect(await place.words(['push'])).toEqual({ 'greet.ts': 'pushed' });
    expect((await place.vals('val', 'get', 'greet', '--code')).stdout).toBe('bob2');
    expect((await place.vals('version', 'ls', 'greet')).exit).toBe(0);
    const { stdout } = await place.vals('ls', '--json');
    expect(JSON.parse(stdout).map(({ id }: { id: string }) => id)).toEqual([expect.any(String), val.id]);
    expect(codesOf(service, val.id)).toEqual(['ada']);
  });

  it('is found by its name where nothing of mine has it', async () => {
    const { service, val, env } = await adaAndBob('greet');
    const mine = { env: service.env, home: temporaryFolder() };
    await run(['val', 'get', val.id], mine);
    expect(await run(['val', 'get', 'greet', '--code'], mine)).toMatchObject({ exit: 0, stdout: 'ada' });
    // The service does not show the versions, so it is not bob's.
    const options = { env, home: temporaryFolder() };
    await run(['val', 'get', val.id], options);
    expect(await run(['val', 'get', 'greet'], options)).toMatchObject({ exit: 3 });
  });

  it('does not count beside the id of vals.json or a whole id, whatever is named so', async () => {
    const { service, env, bob } = await adaAndBob('greet');
    const ids = ['one', 'two'].map((code) => service.edit(code, code, { owner: bob }).id);
    for (const val of service.vals()) val.name = 'greet';
    const place = workspaceWith(env, { 'greet.ts': 'two' });
    place.put({ 'vals.json': JSON.stringify({ ids: { [there]: { greet: ids[1] } } }) });
    for (const { id } of service.vals()) await place.vals('val', 'get', id, '--code');
    expect(await place.status()).toEqual({ 'greet.ts': 'unchanged' });
    place.put({ 'greet.ts': 'three' });
    expect(await place.words(['push'])).toEqual({ 'greet.ts': 'pushed' });
    expect(codesOf(service, ids[1] ?? '')).toEqual(['two', 'three']);
    expect(codesOf(service, ids[0] ?? '')).toEqual(['one']);
    const cwd = temporaryFolder();
    expect((await run(['val', 'get', ids[0] ?? '', '--code'], { env, home: place.home, cwd })).stdout).toBe(
      'one',
    );
  });
});

describe("somebody else's id in vals.json", () => {
  const withIds = (env: Record<string, string>, id: string, code: string): Place =>
    workspaceWith(env, { 'vals.json': JSON.stringify({ ids: { [there]: { shop: id } } }), 'shop.ts': code });

  it.each<[what: string, switches: Switches, reason: string]>([
    ['hides its versions', bare, 'not yours'],
    ['refuses its versions', { ...bare, versionsOfOthers: 403 }, 'not yours'],
    ['lists its versions', { answersVersions: true }, 'both changed'],
    ['tells its author', { authors: true, version: true }, 'not yours'],
  ])('is never written by its name, where the service %s', async (_what, switches, reason) => {
    const { service, val, env, bob } = await adaAndBob('shop', 'ada', switches);
    const own = service.edit('shop', 'unrelated', { owner: bob });
    const place = withIds(env, val.id, 'edited');
    expect(await place.rows(['status'])).toMatchObject([{ status: 'conflict', reason, id: val.id }]);
    for (const args of [['push'], ['push', '--dry-run']]) {
      expect(await place.rows(args, 5)).toMatchObject([{ status: 'failed', reason, id: val.id }]);
    }
    // The name is taken by a val that nobody here asked about.
    expect(await place.rows(['push', '--force'], 5)).toMatchObject([{ reason: 'name taken' }]);
    expect(codesOf(service, own.id)).toEqual(['unrelated']);
    expect(codesOf(service, val.id)).toEqual(['ada']);
    expect(place.manifest().ids).toEqual({ [there]: { shop: val.id } });
  });

  it.each<[what: string, versionsOfOthers: Switches['versionsOfOthers']]>([
    ['hidden', 404],
    ['refused', 403],
    ['listed', undefined],
  ])(
    'is not yours, too, where its versions are %s and the file went on from its code',
    async (_what, how) => {
      const { service, val, env } = await adaAndBob('shop', 'ada', { answersVersions: true });
      const ada = workspaceWith(service.env, { 'shop.ts': 'ada' });
      ada.put({ 'vals.json': JSON.stringify({ ids: { [there]: { shop: val.id } } }) });
      expect(await ada.status()).toEqual({ 'shop.ts': 'unchanged' });
      service.switches.versionsOfOthers = how;
      const bob = new Place(ada.folder, env, ada.home);
      bob.put({ 'shop.ts': 'edited' });
      for (const _ of [1, 2])
        expect(await bob.rows(['push'], 5)).toMatchObject([{ status: 'failed', reason: 'not yours' }]);
      expect(codesOf(service, val.id)).toEqual(['ada']);
      expect(bob.manifest().ids).toEqual({ [there]: { shop: val.id } });
    },
  );

  it('is replaced by --force alone, which makes a val of ones own and says which id', async () => {
    const { service, val, env, bob } = await adaAndBob('shop');
    const place = withIds(env, val.id, 'edited');
    const { exit, stderr } = await place.vals('push', '--force');
    const own = service.vals().find(({ owner }) => owner.id === bob.id);
    expect({ exit, code: own?.versions.at(-1)?.code }).toEqual({ exit: 0, code: 'edited' });
    expect(stderr).toContain(`${own?.id} as "shop" in place of ${val.id}`);
    expect(place.manifest().ids).toEqual({ [there]: { shop: own?.id } });
  });

  it('stops a job with the token of another account each time, and its owner can push still', async () => {
    const { service, val, env } = await adaAndBob('shop', 'one');
    const ada = repository(service.env, { 'shop.ts': 'one' });
    ada.commit({ 'vals.json': JSON.stringify({ ids: { [there]: { shop: val.id } } }) });
    const remote = ada.commit({ 'shop.ts': 'two' });
    for (const _ of [1, 2]) {
      const job = remote.clone();
      const row = { status: 'failed', reason: 'not yours', id: val.id };
      expect(await job.at('.', env).rows(['push'], 5)).toMatchObject([row]);
      expect(job.manifest().ids).toEqual({ [there]: { shop: val.id } });
    }
    expect(codesOf(service, val.id)).toEqual(['one']);
    expect(service.vals()).toHaveLength(1);
    expect(await ada.clone().words(['push'])).toEqual({ 'shop.ts': 'pushed' });
    expect(codesOf(service, val.id)).toEqual(['one', 'two']);
  });

  it('may be pulled as a file of ones own, which is another val', async () => {
    const { service, val, env } = await adaAndBob('shop');
    const place = workspaceWith(env);
    expect(await place.rows(['pull', val.id])).toMatchObject([{ file: 'shop.ts', status: 'pulled' }]);
    expect(place.manifest()).toEqual({});
    expect(await place.status()).toEqual({ 'shop.ts': 'new' });
    place.put({ 'shop.ts': 'bob' });
    expect(await place.words(['push'])).toEqual({ 'shop.ts': 'created' });
    expect(codesOf(service, val.id)).toEqual(['ada']);
  });
});

it('pull <id> takes the val that was made anew for a file whose val is gone', async () => {
  const service = await reachableService('vals.test', {});
  const place = repository(service.env, { 'a.ts': 'one' });
  await place.rows(['push']);
  place.commit();
  const job = place.clone();
  const gone = service.val('a').id;
  service.remove('a');
  job.put({ 'vals.json': '{}' });
  expect(await job.words(['push'])).toEqual({ 'a.ts': 'created' });
  const { id } = service.val('a');
  service.edit('a', 'hotfix');
  expect(await place.words(['status', 'a.ts'])).toEqual({ 'a.ts': 'conflict' });
  const { exit, stderr } = await place.vals('pull', id);
  expect({ exit, stderr }).toEqual({ exit: 0, stderr: expect.stringContaining(gone) });
  expect(place.read('a.ts')).toBe('hotfix');
  expect(place.manifest().ids).toEqual({ [there]: { a: id } });
});

it('--force says that a val has another name than the file', async () => {
  const { service, val, env } = await adaAndBob('billing', 'ada', {});
  const ids = { [there]: { report: val.id } };
  const place = workspaceWith(
    { ...env, ...service.env },
    { 'report.ts': 'report', 'vals.json': JSON.stringify({ ids }) },
  );
  expect(await place.words(['push'], 5)).toEqual({ 'report.ts': 'failed' });
  const { exit, stderr } = await place.vals('push', '--force');
  expect({ exit, stderr }).toEqual({
    exit: 0,
    stderr: expect.stringContaining(`report.ts was sent to the val "billing" (${val.id})`),
  });
});

describe('the val of an entry in ids that was renamed on the service', () => {
  async function renamed() {
    const service = await reachableService('vals.test', bare);
    const val = service.edit('greet', 'one');
    const ids = { [there]: { greet: val.id } };
    const place = workspaceWith(service.env, { 'greet.ts': 'one', 'vals.json': JSON.stringify({ ids }) });
    expect(await place.words(['push'])).toEqual({ 'greet.ts': 'unchanged' });
    for (const each of service.vals()) each.name = 'hello';
    return { service, val, ids, place };
  }

  it('keeps its entry when a pull is refused', async () => {
    const { ids, place } = await renamed();
    expect(await place.rows(['pull'], 5)).toMatchObject([{ status: 'failed' }]);
    expect(place.manifest().ids).toEqual(ids);
  });

  it('is not replaced by another val of its old name, where the file is given', async () => {
    const { service, val, place } = await renamed();
    expect((await place.pipe('other', 'push', '-', '--name', 'greet')).exit).toBe(0);
    for (const args of [['get'], ['rm', '--yes'], ['set', '--privacy', 'public']]) {
      const [verb = '', ...options] = args;
      expect(await place.vals('val', verb, 'greet.ts', ...options)).toMatchObject({
        exit: 3,
        stderr: expect.stringContaining(`greet.ts is the val ${val.id}, which is named "hello"`),
      });
    }
    expect(service.vals()).toHaveLength(2);
    expect((await place.vals('val', 'rm', val.id, '--yes')).exit).toBe(0);
    expect(await place.vals('val', 'get', 'greet.ts')).toMatchObject({
      exit: 3,
      stderr: expect.stringContaining('which the service does not show'),
    });
  });
});

it("somebody else's val is not said to be in ids of vals.json where it is not", async () => {
  const service = await reachableService('vals.test', { ...bare, version: true, authors: true });
  const place = workspaceWith(service.env, { 'greet.ts': 'one' });
  const [row] = await place.rows(['push']);
  place.put({ 'vals.json': '{}' });
  const { person } = service.addPerson('bob');
  for (const val of service.vals()) Object.assign(val, { owner: person, privacy: 'public' });
  place.put({ 'greet.ts': 'two' });
  expect(await place.rows(['status'])).toMatchObject([{ reason: 'not yours', id: row?.id }]);
  const { stderr } = await place.vals('diff', 'greet.ts');
  expect(stderr).toContain("use its owner's token");
  expect(stderr).not.toContain('"ids"');
});

it('an edit after a lost answer is no conflict with oneself, once status has seen that it arrived', async () => {
  const service = await reachableService('vals.test', {});
  const place = repository(service.env, { 'a.ts': 'one' });
  await place.rows(['push']);
  place.commit();
  place.put({ 'a.ts': 'two' });
  let isSent = false;
  service.switches.instead = (seen) => {
    if (seen.method === 'POST') isSent = true;
    if (seen.method === 'POST') return loseAnswer(service);
    return isSent && seen.path.endsWith('/versions') ? { status: 500 } : undefined;
  };
  const { env, home, folder: cwd } = place;
  expect((await run(['push'], { env, home, cwd, clock: fasterBy(100) })).exit).toBe(8);
  delete service.switches.instead;
  expect(await place.status()).toEqual({ 'a.ts': 'unchanged' });
  place.put({ 'a.ts': 'three' });
  expect(await place.words(['push'])).toEqual({ 'a.ts': 'pushed' });
  expect(codesOf(service, service.val('a').id)).toEqual(['one', 'two', 'three']);
});

describe('a write whose answer was lost', () => {
  const isNewVersion = ({ method, path }: Seen) => method === 'POST' && path.endsWith('/versions');
  const afterwards =
    (status: number, headers?: Record<string, string>) =>
    (service: Service, seen: Seen): Reply => {
      service.handle(seen);
      return { status, body: { message: 'gateway' }, ...(headers && { headers }) };
    };
  const before = (status: number) => (): Reply => ({ status, body: { message: 'gateway' } });

  it.each<[string, (service: Service, seen: Seen) => Reply]>([
    ['lost', (service) => loseAnswer(service)],
    ...[500, 502, 503, 504].map((status): [string, ReturnType<typeof afterwards>] => [
      `${status} after the write`,
      afterwards(status),
    ]),
    ...[500, 502, 503].map((status): [string, ReturnType<typeof before>] => [
      `${status} before the write`,
      before(status),
    ]),
  ])('%s: one version is made, and the row says which', async (_what, instead) => {
    let left = 0;
    const service = await serviceWith((seen, there) => {
      if (!isNewVersion(seen) || left === 0) return undefined;
      left -= 1;
      return instead(there, seen);
    }, bare);
    const place = workspaceWith(service.env, { 'a.ts': 'a' });
    await place.rows(['push']);
    place.put({ 'a.ts': 'a2' });
    left = 1;
    expect(await place.rows(['push'])).toMatchObject([{ status: 'pushed', version: 2, versionBefore: 1 }]);
    expect(service.codes('a')).toEqual(['a', 'a2']);
    expect(await place.status()).toEqual({ 'a.ts': 'unchanged' });
  });

  it('is not sent again where the service may still make it', async () => {
    let left = 1;
    let landsAtLook = 0;
    const late: (() => void)[] = [];
    const service = await serviceWith((seen, there) => {
      if (seen.path.endsWith('/versions') && seen.method === 'GET' && left === 0) {
        landsAtLook -= 1;
        if (landsAtLook === 0) late.at(-1)?.();
      }
      if (!isNewVersion(seen) || left === 0) return undefined;
      left -= 1;
      late.push(() => there.handle(seen));
      return { status: 504 };
    }, bare);
    const place = workspaceWith(service.env, { 'a.ts': 'a', 'b.ts': 'b' });
    await place.rows(['push']);
    place.put({ 'a.ts': 'a2' });
    const options = { cwd: place.folder, env: place.env, home: place.home, clock: fasterBy(20) };
    expect(await run(['push'], options)).toMatchObject({ exit: 8 });
    for (const make of late) make();
    expect(service.codes('a')).toEqual(['a', 'a2']);
    left = 1;
    place.put({ 'b.ts': 'b2' });
    landsAtLook = 2;
    expect(await run(['push', '--json'], options)).toMatchObject({ exit: 0 });
    expect(service.codes('b')).toEqual(['b', 'b2']);
  });

  it('is unknown where the versions cannot be read, and sent again is nothing', async () => {
    let isDown = false;
    const service = await serviceWith((seen, there) => {
      if (isDown) return { status: 503 };
      isDown = isNewVersion(seen);
      return isDown ? afterwards(503)(there, seen) : undefined;
    }, bare);
    const place = workspaceWith(service.env, { 'a.ts': 'a' });
    await place.rows(['push']);
    place.put({ 'a.ts': 'a2' });
    const options = { cwd: place.folder, env: place.env, home: place.home, clock: fasterBy(50) };
    expect(await run(['push'], options)).toMatchObject({ exit: 8 });
    isDown = false;
    expect(await place.status()).toEqual({ 'a.ts': 'unchanged' });
    expect(service.codes('a')).toEqual(['a', 'a2']);
  });

  it('does not overwrite what somebody else wrote meanwhile', async () => {
    let isFirst = true;
    const service = await serviceWith((seen, there) => {
      if (!isNewVersion(seen) || !isFirst) return undefined;
      isFirst = false;
      there.edit('a', 'theirs');
      return { status: 502 };
    }, bare);
    const place = workspaceWith(service.env, { 'a.ts': 'a' });
    await place.rows(['push']);
    place.put({ 'a.ts': 'a2' });
    expect(await place.vals('push')).toMatchObject({ exit: 8 });
    expect(service.codes('a')).toEqual(['a', 'theirs']);
  });

  it('503 with Retry-After is refused for now, and without a known version before nothing is sent again', async () => {
    const answers: Reply[] = [{ status: 503, headers: { 'retry-after': '0' } }];
    const service = await serviceWith((seen) => (isNewVersion(seen) ? answers.shift() : undefined), bare);
    const { id } = service.edit('a', 'a');
    const cwd = folderOf({ 'a.ts': 'a2' });
    const options = { env: service.env, cwd };
    expect(await run(['version', 'new', id, 'a.ts', '--json'], options)).toMatchObject({ exit: 0 });
    expect(service.codes('a')).toEqual(['a', 'a2']);
    let sent = 0;
    service.switches.instead = (seen) => {
      if (!isNewVersion(seen)) return undefined;
      sent += 1;
      return afterwards(503)(service, seen);
    };
    expect(await run(['version', 'new', id, 'a.ts', '--json'], options)).toMatchObject({ exit: 8 });
    expect({ sent, codes: service.codes('a') }).toEqual({ sent: 1, codes: ['a', 'a2', 'a2'] });
  });

  it.each([
    ['lost', 8],
    [503, 8],
    ['not made', 0],
  ])('of a new val is sent again, which makes no other one (%s)', async (what, exit) => {
    let isFirst = true;
    const service = await serviceWith((seen, there): Reply | undefined => {
      if (seen.method !== 'POST' || !isFirst) return undefined;
      isFirst = false;
      if (what === 'lost') return loseAnswer(there);
      if (what === 503) there.handle(seen);
      return { status: 503 };
    }, bare);
    const place = workspaceWith(service.env, { 'a.ts': 'a' });
    const result = await place.vals('push', '--json');
    expect({ exit: result.exit, codes: service.codes('a') }).toEqual({ exit, codes: ['a'] });
    expect(service.vals()).toHaveLength(1);
  });

  const many = isLong ? 1_000 : 300;

  it(`of ${many} files, with one connection in fifty cut after the request was read, all are pushed once`, async () => {
    const service = await serviceWith(() => undefined, bare);
    const names = valNames(many);
    const place = workspaceWith(service.env, Object.fromEntries(names.map((name) => [`${name}.ts`, name])));
    await place.rows(['push']);
    place.put(Object.fromEntries(names.map((name) => [`${name}.ts`, `${name}_2`])));
    let count = 0;
    service.switches.instead = () => {
      count += 1;
      return count % 50 === 0 ? loseAnswer(service) : undefined;
    };
    const result = await run(['push', '--json'], {
      cwd: place.folder,
      env: place.env,
      home: place.home,
      clock: fasterBy(20),
    });
    expect(result.exit).toBe(0);
    expect(new Set(JSON.parse(result.stdout).map(({ status }: { status: string }) => status))).toEqual(
      new Set(['pushed']),
    );
    for (const name of names) expect(service.codes(name)).toEqual([name, `${name}_2`]);
  });
});
