import { describe, expect, it } from 'vitest';
import { chanceOf, isLong } from '../support/cases.ts';
import {
  newService,
  noList,
  Place,
  pushed,
  type Row,
  reachableService,
  type Service,
  serviceWith,
  workspaceWith,
} from './support.ts';

/** What a push without a flag does with a val of each state: in a dry run, and then for sure. */
const expected: Record<string, { planned: string; done: string[] }> = {
  unchanged: { planned: 'unchanged', done: ['unchanged'] },
  'changed here': { planned: 'planned', done: ['pushed'] },
  new: { planned: 'planned', done: ['created'] },
  'renamed here': { planned: 'planned', done: ['renamed', 'pushed'] },
  'moved here': { planned: 'planned', done: ['moved'] },
  'changed there': { planned: 'behind', done: ['behind'] },
  'missing here': { planned: 'skipped', done: ['skipped'] },
  conflict: { planned: 'failed', done: ['failed'] },
  differs: { planned: 'failed', done: ['failed'] },
  'older here': { planned: 'failed', done: ['failed'] },
  unmerged: { planned: 'failed', done: ['failed'] },
  'deleted there': { planned: 'failed', done: ['failed'] },
};

const marked = '<<<<<<< HEAD\nmine\n=======\ntheirs\n>>>>>>> branch\n';

type Act = (place: Place, service: Service, name: string, serial: string) => unknown;

const acts: Act[] = [
  (place, _service, name, serial) => place.put({ [`${name}.ts`]: `${name}_here_${serial}` }),
  (_place, service, name, serial) => service.edit(name, `${name}_there_${serial}`),
  (place, _service, name) => place.vals('push', `${name}.ts`),
  (place, _service, name) => place.vals('pull', `${name}.ts`, '--force'),
  (place, _service, name) => place.put({ [`${name}.ts`]: `${name}_first` }),
  (place, _service, name) => place.put({ [`${name}.ts`]: marked }),
  (place, _service, name) => place.removeIfThere(`${name}.ts`),
  (place, service, name) => service.delete(place.idOf(`${name}.ts`)),
  (place, _service, name) => place.move(`${name}.ts`, `lib/${name}_moved.ts`),
  (place, _service, name) => place.editManifest((text) => text.replace(`"${name}"`, `"${name}_new"`)),
  (place, _service, name) => place.loseRecord(`${name}.ts`),
  (place, _service, name, serial) => place.put({ [`${name}_new_${serial}.ts`]: `${name}_new_${serial}` }),
];

const codes = async (service: Service): Promise<Record<string, string>> => {
  const { id } = (await service.ask('GET', '/v1/me')) as { id: string };
  const list = (await service.ask('GET', `/v1/users/${id}/vals?limit=100`)) as { data: { id: string }[] };
  const read = list.data.map(async (val): Promise<[string, string]> => [val.id, await service.code(val.id)]);
  return Object.fromEntries(await Promise.all(read));
};

/** A file with the name of another file's val can be no val: `push` refuses it, and `status` has no row for it. */
async function statuses(place: Place, ...args: string[]) {
  const { stdout, exit } = await place.vals(...args, '--json');
  const all = JSON.parse(stdout) as Row[];
  const rows = all.filter(({ error }) => error?.kind !== 'usage');
  const hasUnusable = rows.length < all.length || exit === 2;
  return { words: Object.fromEntries(rows.map(({ file, status }) => [file, status])), hasUnusable };
}

describe('status, a dry run, the question and the push agree', () => {
  it.each(Array.from({ length: isLong ? 120 : 2 }, (_, index) => index + 1))('with seed %i', async (seed) => {
    const { between, oneOf } = chanceOf(seed);
    const names = Array.from({ length: 10 }, (_, index) => `v${index}`);
    const files = Object.fromEntries(names.map((name) => [`${name}.ts`, `${name}_first`]));
    const { place, service } = await pushed(files);
    for (const name of names) {
      for (let step = between(1, 4); step > 0; step--) await oneOf(acts)(place, service, name, `${step}`);
    }
    const { words: status, hasUnusable } = await statuses(place, 'status');
    const before = await codes(service);
    const { words: planned, ...plan } = await statuses(place, 'push', '--dry-run');
    const { screen } = await place.onScreen(['push', '--dry-run'], { columns: 200, answers: [] });
    expect(await codes(service)).toEqual(before);
    const facts = JSON.stringify({ seed, status, planned });
    expect(plan, facts).toEqual({ hasUnusable });
    expect(planned, facts).toEqual(
      Object.fromEntries(Object.entries(status).map(([file, word]) => [file, expected[word]?.planned])),
    );
    for (const [file, word] of Object.entries(status)) {
      const isAskedAbout = new RegExp(`^ {2}\\w+ {2}version.* ${file}\\b`, 'm').test(screen);
      expect({ file, isAskedAbout }, facts).toEqual({
        file,
        isAskedAbout: word === 'differs' || word === 'older here',
      });
    }
    const { words: done } = await statuses(place, 'push');
    expect(Object.keys(done), facts).toEqual(Object.keys(status));
    for (const [file, word] of Object.entries(status)) {
      expect(expected[word]?.done, `${file} ${facts}`).toContain(done[file]);
    }
    const after = await codes(service);
    const sent = Object.values(done).filter((word) => word === 'pushed' || word === 'created').length;
    const changed = Object.keys(after).filter((id) => after[id] !== before[id]).length;
    expect({ changed, deleted: Object.keys(before).filter((id) => !(id in after)) }, facts).toEqual({
      changed: sent,
      deleted: [],
    });
    const { words: now } = await statuses(place, 'status');
    for (const [file, word] of Object.entries(done)) {
      if (['pushed', 'created', 'unchanged'].includes(word)) expect(now[file], facts).toBe('unchanged');
      // Only the name or the path was sent. If the service has newer code, the val is behind afterwards.
      if (['renamed', 'moved'].includes(word)) {
        const isSameCode = place.read(file) === after[place.idOf(file)];
        expect(now[file], `${file} ${facts}`).toBe(isSameCode ? 'unchanged' : 'changed there');
      }
    }
  });
});

describe('older here', () => {
  async function checkedOutOld() {
    const { place, service } = await pushed({ 'a.ts': 'one', 'b.ts': 'b' });
    place.put({ 'a.ts': 'two' });
    await place.rows(['push']);
    place.put({ 'a.ts': 'one' });
    return { place, service, id: place.idOf('a.ts') };
  }

  it('is not sent without a question, and the message names the version of the file', async () => {
    const { place, service, id } = await checkedOutOld();
    expect(await place.rows(['status', 'a.ts'])).toMatchObject([
      { status: 'older here', version: 2, note: 'the file is version 1' },
    ]);
    for (const args of [['push'], ['push', 'a.ts'], ['push', '--dry-run']]) {
      const [row] = await place.rows(args, 5);
      expect(row?.error?.message).toBe('a.ts has the code of version 1, and the service has version 2.');
    }
    const answers = [{ after: '[y/N]', keys: 'n\r' }];
    const { exit, screen } = await place.onScreen(['push'], { answers });
    expect({ exit, screen }).toEqual({ exit: 2, screen: expect.stringContaining('(a.ts is version 1)') });
    expect(await service.code(id)).toBe('two');
    expect(await place.words(['pull', 'a.ts'], 5)).toEqual({ 'a.ts': 'failed' });
    expect(await place.words(['pull', 'a.ts', '--merge'])).toEqual({ 'a.ts': 'pulled' });
    expect(place.backups()).toEqual(['one']);
  });

  it.each(['--yes', '--force'])('is sent with %s', async (flag) => {
    const { place, service, id } = await checkedOutOld();
    expect(await place.words(['push', flag])).toMatchObject({ 'a.ts': 'pushed' });
    expect(await service.versions(id)).toEqual(['one', 'two', 'one']);
    place.put({ 'a.ts': 'two' });
    expect(await place.status()).toMatchObject({ 'a.ts': 'older here' });
  });

  it('is code that was replaced from another branch, whose vals.json did not list the file', async () => {
    const { place, service } = await pushed({ 'a.ts': 'one' });
    const manifest = place.read('vals.json');
    place.put({ 'vals.json': '{"vals":{}}', 'a.ts': 'other' });
    expect(await place.status()).toEqual({ 'a.ts': 'differs' });
    expect(await place.words(['push'], 5)).toEqual({ 'a.ts': 'failed' });
    expect(await place.words(['push', '--yes'])).toEqual({ 'a.ts': 'pushed' });
    place.put({ 'vals.json': manifest, 'a.ts': 'one' });
    expect(await place.status()).toEqual({ 'a.ts': 'older here' });
    expect(await service.code(place.idOf('a.ts'))).toBe('other');
  });

  it('is named by the question in a fresh checkout, which has no record', async () => {
    const { place } = await checkedOutOld();
    place.loseRecords();
    const answers = [{ after: '[y/N]', keys: 'n\r' }];
    const { screen } = await place.onScreen(['push'], { answers });
    expect(screen).toContain('(a.ts is version 1)');
  });
});

it.each([
  ['a list', () => undefined, '*'],
  ['no list', noList, undefined],
] as const)(
  'a push of a new val to a service with %s has If-None-Match: %s',
  async (_what, instead, header) => {
    const { env, writes } = await serviceWith(instead);
    const place = workspaceWith(env, { 'a.ts': 'mine' });
    expect((await place.vals('push')).exit).toBe(0);
    place.put({ 'a.ts': 'edited' });
    expect((await place.vals('push')).exit).toBe(0);
    expect(writes().map(({ headers }) => headers['if-none-match'])).toEqual([header, undefined]);
  },
);

it('only line ends differ: status and the diff say so', async () => {
  const { place } = await pushed({ 'a.ts': 'one\ntwo\n' });
  place.put({ 'a.ts': 'one\r\ntwo\r\n' });
  expect(await place.rows(['status'])).toMatchObject([
    { status: 'changed here', note: 'only line ends differ' },
  ]);
  expect((await place.vals('status')).stderr).toContain('only line ends differ');
  expect((await place.onScreen(['diff'])).screen).toContain('Only line ends differ.');
});

it("git's marks of a merge are unmerged, whatever the service has, and pull --merge refuses them", async () => {
  const { place, service } = await pushed({ 'a.ts': 'a', 'b.ts': 'b' });
  await service.edit('b', 'theirs');
  place.put({ 'a.ts': marked, 'b.ts': marked, 'c.ts': marked });
  const all = { 'a.ts': 'unmerged', 'b.ts': 'unmerged', 'c.ts': 'unmerged' };
  expect(await place.status()).toEqual(all);
  expect(await place.words(['pull', '--merge', 'a.ts', 'b.ts'], 5)).toEqual({
    'a.ts': 'failed',
    'b.ts': 'failed',
  });
  const rows = await place.rows(['push'], 5);
  expect(rows.map(({ status, error }) => [status, error?.hint?.match(/`(.*?)`/)?.[1]])).toEqual([
    ['failed', 'vals push a.ts'],
    ['failed', 'vals push b.ts --force'],
    ['failed', 'vals push c.ts'],
  ]);
  expect(place.read('b.ts')).toBe(marked);
});

it('--if-version sends the file if the version is right, whatever the record says', async () => {
  const { place, service } = await pushed({ 'a.ts': 'a' });
  await service.edit('a', 'theirs');
  expect(await place.words(['push', 'a.ts', '--if-version', '1'], 5)).toEqual({ 'a.ts': 'failed' });
  expect(await place.words(['push', 'a.ts', '--if-version', '2'])).toEqual({ 'a.ts': 'pushed' });
  expect(await place.words(['push', 'a.ts', '--if-version', '3'])).toEqual({ 'a.ts': 'unchanged' });
  expect(await service.code(place.idOf('a.ts'))).toBe('a');
  await service.edit('a', 'theirs');
  place.put({ 'a.ts': marked });
  expect(await place.words(['push', 'a.ts', '--if-version', '4', '--no-check'], 5)).toEqual({
    'a.ts': 'failed',
  });
  place.put({ 'a.ts': 'mine' });
  expect(await place.words(['push', 'a.ts', '--if-version', '4'])).toEqual({ 'a.ts': 'pushed' });
});

it('an entry without a file and without a val is taken out, unless another service has an id there', async () => {
  const { place, service } = await pushed({ 'a.ts': 'a', 'b.ts': 'b' }, await reachableService());
  const elsewhere = new Place(place.folder, (await newService()).env);
  place.remove('a.ts');
  expect(await elsewhere.status()).toEqual({ 'b.ts': 'new' });
  await elsewhere.rows(['push']);
  expect(Object.keys(place.manifest().vals)).toEqual(['a.ts', 'b.ts']);
  await service.delete(place.idOf('a.ts'));
  expect(await place.words(['push'])).toEqual({ 'b.ts': 'unchanged' });
  expect(Object.keys(place.manifest().vals)).toEqual(['b.ts']);
});
