import { describe, expect, it } from 'vitest';
import { inProcess } from '../../support/in-process.ts';
import { environment, temporaryFolder } from '../../support/program.ts';
import { type Reply, type Seen, scriptedService } from '../../support/scripted-service.ts';

const id = '4f2c0c1e-6a53-4bd2-9a2e-1f1f3f0b9c11';
const at = '2024-05-01T10:00:00.000Z';

async function vals(args: readonly string[], replies: readonly Reply[], forever?: (seen: Seen) => Reply) {
  const { env, requests } = await scriptedService(replies, forever);
  const output = await inProcess(args, { env: environment(temporaryFolder(), env) });
  return { ...output, paths: requests.map(({ path }) => path) };
}

const unnamed = { id: 'a', username: null };
const versionLs = ['version', 'ls', id];

it.each([
  [versionLs, { val_id: id, version: 2, createdAt: at }, ['2', at, id, '']],
  [versionLs, { id, version: 0, runStartAt: at }, ['0', at, id, '']],
  [
    ['refs'],
    { reference: { id: 'r', name: 'n', username: 'ada' }, dependsOn: { name: 'd' } },
    ['n', 'd', 'ada', '', 'r'],
  ],
  [['refs'], { reference: { id: 'r', name: 'n', author: { username: 'bo' } } }, ['n', '', 'bo', '', 'r']],
  [['refs'], { reference: { id: 'r', name: 'n', author: unnamed } }, ['n', '', '', '', 'r']],
  [
    ['likes'],
    { id, name: 'n', version: 1, author: unnamed, createdAt: at, versionCreatedAt: at },
    ['n', '', '1', '', at, at, id],
  ],
  [['comments'], { id: 'c', comment: 'hi', author: unnamed }, ['', '', '', 'hi', 'c']],
])('a row of a real service is shown by %j for %j', async (args, record, cells) => {
  const { exit, stdout } = await vals(args, [{ body: { data: [record], links: {} } }]);
  expect({ exit, stdout }).toEqual({ exit: 0, stdout: `${cells.join('\t')}\n` });
});

describe('a list that the service refuses without limit and offset', () => {
  const versions = Array.from({ length: 130 }, (_, version) => ({ id, version, createdAt: at }));
  const insisting =
    (status: number): ((seen: Seen) => Reply) =>
    ({ path }) => {
      const { searchParams: query } = new URL(path, 'http://x');
      const [limit, offset] = [Number(query.get('limit')), Number(query.get('offset'))];
      if (!query.has('limit') || !query.has('offset'))
        return { status, body: { message: 'limit is required' } };
      return { body: versions.slice(offset, offset + limit) };
    };

  it.each([
    [400, ['version', 'ls', id], `/v1/vals/${id}/versions`],
    [422, ['refs'], '/v1/me/references'],
  ])('with %i is requested again with limit and offset', async (status, args, path) => {
    const { exit, stdout, paths } = await vals([...args, '--json'], [], insisting(status));
    expect(exit).toBe(0);
    expect(JSON.parse(stdout)).toEqual(versions);
    expect(paths.slice(0, 2)).toEqual([path, `${path}?limit=100&offset=0`]);
  });

  it('is not requested a third time, nor after another refusal', async () => {
    const no = { status: 400, body: { message: 'no' } };
    expect(await vals(['refs'], [no, no])).toMatchObject({ exit: 6, stdout: '' });
    expect(await vals(['refs'], [{ ...no, status: 403 }])).toMatchObject({ exit: 4 });
    expect(await vals(['runs'], [no])).toMatchObject({ exit: 6 });
    const next = { data: [{ id: 1 }], links: { next: '?a=1' } };
    // The lines of the first page stay.
    expect(await vals(['refs'], [{ body: next }, no])).toMatchObject({ exit: 6, stdout: '\t\t\t\t\n' });
  });
});

it('a service without the route of a command is said to lack it', async () => {
  const { exit, stderr } = await vals(['likes'], [{ status: 404 }]);
  const message = expect.stringContaining('does not support this command');
  expect({ exit, stderr }).toEqual({ exit: 3, stderr: message });
});

describe('runs of one val, filtered by the service or here,', () => {
  const runs = Array.from({ length: 250 }, (_, index) => ({
    id: `r${index}`,
    runStartAt: new Date(Date.parse(at) - index * 60_000).toISOString(),
    error: index % 50 === 0 ? 'boom' : null,
  }));
  const paged = ({ path }: Seen): Reply => {
    const { searchParams: query } = new URL(path, 'http://x');
    const [limit, offset] = [Number(query.get('limit')), Number(query.get('offset'))];
    return { body: runs.slice(offset, offset + limit) };
  };
  const ago = (minutes: number) => new Date(Date.parse(at) - minutes * 60_000).toISOString();

  it.each([
    ['--error', 'r0 r50 r100 r150 r200'],
    ['--error --limit 2 --offset 3', 'r150 r200'],
    ['--no-error --limit 2', 'r1 r2'],
    [`--since ${ago(2)}`, 'r0 r1'],
    [`--since ${ago(101)} --until ${ago(99)} --error`, 'r100'],
  ])('are listed with %s: %s', async (flags, ids) => {
    const args = ['val', 'runs', id, ...flags.split(' '), '--fields', 'id'];
    const { exit, stdout, paths } = await vals(args, [], paged);
    expect({ exit, ids: stdout.trim().replaceAll('\n', ' ') }).toEqual({ exit: 0, ids });
    for (const path of paths) expect(path).toMatch(/\/runs\?.*limit=100&offset=\d+$/);
  });

  it('are one request if the service has applied the filter', async () => {
    const failed = runs.filter(({ error }) => error !== null);
    const { stdout, paths } = await vals(
      ['runs', id, '--error', '--json'],
      [{ body: { data: failed, links: {} } }],
    );
    expect(JSON.parse(stdout)).toHaveLength(5);
    expect(paths).toEqual([`/v1/vals/${id}/runs?error=true&limit=100&offset=0`]);
  });

  it('are counted in a summary', async () => {
    const { stdout } = await vals(['val', 'runs', id, '--error', '--summary', '--json'], [], paged);
    expect(JSON.parse(stdout)).toMatchObject([{ runs: 5, failed: 5 }]);
  });
});
