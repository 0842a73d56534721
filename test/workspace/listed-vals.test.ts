import { describe, expect, it } from 'vitest';
import { valNames } from '../support/program.ts';
import { type Reply, type Seen, scriptedService } from '../support/scripted-service.ts';
import { workspaceWith } from './support.ts';

const many = 20;
const idOf = (index: number) => `4f2c0c1e-6a53-4bd2-9a2e-${String(index).padStart(12, '0')}`;

interface Stored {
  id: string;
  name: string;
  code: string;
  version?: number;
  updatedAt?: string;
}

interface Listing {
  listed?: (val: Stored) => Partial<Stored>;
  noList?: Reply;
}

async function pushedWorkspace(vals = many) {
  const listing: Listing = {};
  const stored = new Map<string, Stored>();
  const list = (path: string): Reply => {
    const offset = Number(new URL(path, 'http://service').searchParams.get('offset'));
    return { body: [...stored.values()].slice(offset, offset + 100).map(listing.listed ?? withoutCode) };
  };
  const answer = ({ method, path, body }: Seen): Reply => {
    if (path === '/v1/me') return { body: { id: 'me' } };
    if (path.startsWith('/v1/users/me/vals')) return listing.noList ?? list(path);
    if (method === 'GET') {
      const val = stored.get(path.split('/').at(-1) ?? '');
      return val ? { body: val } : { status: 404, body: {} };
    }
    const { name, code } = JSON.parse(body);
    const id = idOf(Number(name.slice(3)));
    const version = (stored.get(id)?.version ?? 0) + 1;
    const val = { id, name, code, version, updatedAt: `2026-01-01T00:00:0${version}Z` };
    stored.set(id, val);
    return { status: version === 1 ? 201 : 200, body: val };
  };
  const service = await scriptedService([], answer);
  const files = valNames(vals).map((name) => [`${name}.ts`, `code_of_${name}`]);
  const place = workspaceWith(service.env, Object.fromEntries(files));
  await place.rows(['push']);
  service.requests.length = 0;
  const edit = (index: number, change: Partial<Stored>) =>
    Object.assign(stored.get(idOf(index)) as Stored, change);
  const asked = () =>
    service.requests.splice(0).flatMap(({ method, path }): (string | number)[] => {
      const index = /^\/v1\/vals\/.*-0*(\d+)$/.exec(path)?.[1];
      return method === 'PUT' ? ['PUT'] : index === undefined ? [] : [Number(index)];
    });
  return { place, edit, asked, listing };
}

const withoutCode = ({ code, ...listed }: Stored): Partial<Stored> => listed;

const wordsOf = (rows: readonly { status: string }[]): Record<string, number> => {
  const counts: Record<string, number> = {};
  for (const { status } of rows) counts[status] = (counts[status] ?? 0) + 1;
  return counts;
};

describe('the val itself is read', () => {
  it('if it has another version there, or a version whose number was given before, and else only the list', async () => {
    const { place, edit, asked } = await pushedWorkspace();
    for (const change of [
      { code: 'theirs', version: 2 },
      { code: 'theirs again', updatedAt: '2026-02-02T00:00:00Z' },
    ]) {
      edit(7, change);
      expect(wordsOf(await place.rows(['status']))).toEqual({ unchanged: many - 1, 'changed there': 1 });
      expect(asked()).toEqual([7]);
      expect(wordsOf(await place.rows(['push']))).toEqual({ unchanged: many - 1, behind: 1 });
      expect(asked()).toEqual([7]);
      expect(wordsOf(await place.rows(['pull']))).toEqual({ unchanged: many - 1, pulled: 1 });
      expect(place.read('val7.ts')).toBe(change.code);
      asked();
    }
    for (const command of ['status', 'push', 'pull']) {
      expect(wordsOf(await place.rows([command]))).toEqual({ unchanged: many });
      expect(asked()).toEqual([]);
    }
  });

  it('if it changed here, and an edit that the list does not show is not overwritten', async () => {
    const { place, edit, asked, listing } = await pushedWorkspace();
    listing.listed = (val) => ({ ...withoutCode(val), version: 1, updatedAt: '2026-01-01T00:00:01Z' });
    edit(7, { code: 'theirs', version: 2 });
    place.put({ 'val7.ts': 'mine', 'val8.ts': 'mine' });
    const rows = await place.rows(['push'], 9);
    expect(wordsOf(rows)).toEqual({ unchanged: many - 2, failed: 1, pushed: 1 });
    // Each val is read just before the write, and compared anew if it is not as the list has it.
    expect(asked().toSorted()).toEqual([7, 7, 8, 'PUT']);
  });

  it('if the list lacks the val, or tells no time of a change, or if there is no list', async () => {
    const { place, asked, listing } = await pushedWorkspace();
    const another = (val: Stored) => (val.id === idOf(7) ? { id: 'x', name: 'x' } : withoutCode(val));
    const cases: [Listing, number][] = [
      [{ listed: another }, 1],
      [{ noList: { status: 404, body: {} } }, many],
      [{ listed: ({ id, name, version = 0 }) => ({ id, name, version }) }, many],
    ];
    for (const [{ noList, listed }, reads] of cases) {
      Object.assign(listing, { noList, listed });
      expect(wordsOf(await place.rows(['status']))).toEqual({ unchanged: many });
      expect(asked()).toHaveLength(reads);
    }
    for (const noList of [
      { body: '"soon"' },
      { body: '<html>' },
      { status: 400 },
      { status: 302, body: '' },
    ]) {
      Object.assign(listing, { noList });
      for (const command of ['status', 'push', 'pull']) {
        expect((await place.vals(command)).exit).toBeGreaterThan(5);
      }
      expect(asked()).toEqual([]);
    }
  });

  it('if its file is gone and the record is older, and else only the list, also for a new file', async () => {
    const { place, edit, asked } = await pushedWorkspace();
    const gone = valNames(6).map((name) => `${name}.ts`);
    place.remove(...gone);
    edit(3, { code: 'theirs', version: 2 });
    place.put({ 'val200.ts': 'another' });
    expect(wordsOf(await place.rows(['push', 'val200.ts']))).toEqual({ created: 1 });
    expect(asked()).toEqual(['PUT']);
    place.put({ 'val201.ts': 'a_second' });
    expect(wordsOf(await place.rows(['push']))).toEqual({ unchanged: many - 5, created: 1 });
    expect(asked()).toEqual(['PUT']);
    const missing = { unchanged: many - 4, 'missing here': 6 };
    expect(wordsOf(await place.rows(['status']))).toEqual(missing);
    expect(asked()).toEqual([3]);
  });
});
