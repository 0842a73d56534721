// A command other than push that writes to the val of a file: `vals val set hello.ts`. vals.json of a repository that was only
// cloned does not decide which val that is.
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { ends } from '../support/program.ts';
import { startStrict } from '../support/strict-service.ts';
import { type Place, reachableService, type Service, withEverything, workspaceWith } from './places.ts';

const writes = [
  ['val', 'rm', 'hello.ts', '--yes'],
  ['val', 'rm', './hello.ts', '--dry-run'],
  ['val', 'set', 'hello.ts', '--privacy', 'public'],
  ['val', 'edit', 'hello.ts'],
  ['version', 'new', 'hello.ts', 'code.js'],
  ['version', 'rm', 'hello.ts', '1', '--yes'],
  ['version', 'restore', 'hello.ts', '1'],
];

/** A clone whose file hello.ts has the code of the val `chosen`, and a service with the vals hello and payments. */
async function cloned(
  manifest: (service: Service) => object,
  chosen = 'hello',
): Promise<{ place: Place; service: Service }> {
  const service = await reachableService('vals.test', { ...withEverything, list: false });
  const place = workspaceWith(
    { ...service.env, EDITOR: 'sh -c "echo edited > $1" sh' },
    { 'hello.ts': chosen, 'code.js': '// new', '.valsignore': 'code.js' },
  );
  for (const name of ['hello', 'payments']) {
    service.edit(name, `${name}_1`);
    const { id } = service.edit(name, name);
    // This machine has seen both.
    await place.vals('val', 'get', id);
  }
  place.put({ 'vals.json': JSON.stringify(manifest(service)) });
  return { place, service };
}

const byName = () => ({ names: { 'hello.ts': 'payments' } });
const byId = (service: Service) => ({ ids: { 'http://vals.test': { hello: service.val('hello').id } } });

describe.each([
  ['names', byName, 'payments'],
  ['ids', byId, 'hello'],
])('until a push, %s of vals.json chooses no val', (_key, manifest, chosen) => {
  it.each(writes.map((args) => ({ line: args.join(' '), args })))('for vals $line', async ({ args }) => {
    const { place, service } = await cloned(manifest, chosen);
    // It writes a record.
    expect(await place.status()).toEqual({ 'hello.ts': 'unchanged' });
    expect(await place.vals(...args)).toMatchObject(ends(2, `hello.ts is the val "${chosen}"`));
    expect(await place.onScreen(args, { answers: [] })).toMatchObject({ exit: 2 });
    expect(service.writes()).toEqual([]);
  });

  it('but a read uses it, and so does a write after a push that found all unchanged', async () => {
    const { place, service } = await cloned(manifest, chosen);
    const { id } = service.val(chosen);
    expect((await place.vals('val', 'get', 'hello.ts')).stdout).toContain(id);
    expect(await place.words(['push'])).toEqual({ 'hello.ts': 'unchanged' });
    expect(await place.vals('val', 'rm', 'hello.ts', '--yes')).toMatchObject({ exit: 0 });
    expect(service.writes()).toEqual([`DELETE /v1/vals/${id}`]);
  });
});

it('a push of another file lets vals.json choose nothing', async () => {
  const { place, service } = await cloned(byName);
  place.put({ 'nice.ts': 'nice' });
  expect(await place.words(['push', 'nice.ts'])).toEqual({ 'nice.ts': 'created' });
  const before = service.writes().length;
  for (const args of writes)
    expect(await place.vals(...args)).toMatchObject(
      ends(2, 'this folder has not pushed that file to http://vals.test'),
    );
  expect(service.writes()).toHaveLength(before);
});

it.each(writes.map((args) => ({ line: args.join(' '), args })))(
  'a service that vals.json does not list is exit 2 for vals $line',
  async ({ args }) => {
    const { place, service } = await cloned(() => ({ services: ['https://other.test'] }));
    expect(await place.vals(...args)).toMatchObject(ends(2, 'These vals belong to https://other.test'));
    expect(service.writes()).toEqual([]);
    const byName = args.map((word) => (word.endsWith('hello.ts') ? 'hello' : word));
    expect(await place.vals(...byName)).toMatchObject({ exit: 0 });
  },
);

it('a file that vals.json says nothing of is its val, before any push', async () => {
  const { place, service } = await cloned(() => ({ names: { 'code.js': 'coded' } }));
  expect(await place.vals('version', 'new', 'hello.ts', 'code.js')).toMatchObject({ exit: 0 });
  expect(service.code('hello')).toBe('// new');
});

describe('a word that could be a name', () => {
  it('is the val, whatever vals.json says and whichever file is there', async () => {
    const service = await startStrict({ ...withEverything });
    for (const name of ['hello', 'payments']) service.edit(name, name);
    const place = workspaceWith(service.env, {
      'vals.json': '{"names": {"hello": "payments", "hello.ts": "payments"}}',
      hello: 'x',
      'hello.ts': 'x',
    });
    const codeOf = async (word: string) => (await place.vals('val', 'get', word, '--code')).stdout;
    expect(await codeOf('hello')).toBe('hello');
    for (const path of ['./hello', 'hello.ts', './hello.ts', join(place.folder, 'hello.ts')])
      expect(await codeOf(path)).toBe('payments');
    expect(await place.vals('val', 'rm', 'hello', '--yes')).toMatchObject({ exit: 0 });
    expect(service.vals().map(({ name }) => name)).toEqual(['payments']);
  });

  it('that only vals.json calls a file is none', async () => {
    const { env } = await startStrict(withEverything);
    const place = workspaceWith(env, { 'vals.json': '{"names": {"gone.ts": "payments"}}' });
    expect(await place.vals('val', 'get', 'gone.ts')).toMatchObject(ends(3, 'There is no val named gone.ts'));
  });
});
