import { cpSync, readdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { temporaryFolder } from '../support/program.ts';
import { Place, pushed, type Service, startService } from './support.ts';

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

describe.each(reading.map((args) => [args.join(' '), args] as const))('after vals %s', (_words, args) => {
  it('push --prune does not delete the val', async () => {
    const { place, service, id } = await checkout();
    expect(await place.vals(...args)).toMatchObject({ exit: 0 });
    place.remove('prod.ts');
    const [row] = await place.rows(['push', '--prune', '--yes'], 5);
    expect(row?.error?.message).toContain('this folder never pulled or pushed it');
    expect(await service.code(id)).toBe('precious');
  });

  it('a file of another name does not lead to the val', async () => {
    const { place, service, id } = await checkout('notes.ts');
    expect(await place.vals(...args)).toMatchObject({ exit: 0 });
    expect(await place.vals('val', 'rm', 'notes.ts', '--yes')).toMatchObject({ exit: 5 });
    expect(await place.vals('val', 'set', 'notes.ts', '--name', 'gone')).toMatchObject({ exit: 5 });
    expect(await read(service, id)).toEqual({ name: 'prod', code: 'precious' });
  });

  it('a name that was edited in vals.json does not rename the val', async () => {
    const { place, service, id } = await checkout();
    expect(await place.vals(...args)).toMatchObject({ exit: 0 });
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
    expect(await place.vals(...args)).toMatchObject({ exit: 0 });
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
    // With 100 vals, vals reads the list instead of each val.
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
});

describe('nothing is sent if a link keeps .vals from recording the push', () => {
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
    // Without a base, only --force overwrites the val.
    const { exit, stderr } = await place.vals('push', 'a.ts', '--force');
    expect({ exit, stderr }).toEqual({ exit: 10, stderr: expect.stringContaining('was not used: ') });
    expect(stderr).not.toContain('was pushed');
    expect(await service.code(id)).toBe('a');
  });
});
