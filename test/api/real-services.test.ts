import { describe, expect, it } from 'vitest';
import { inProcess } from '../support/in-process.ts';
import { environment, temporaryFolder } from '../support/program.ts';
import { type Reply, type Seen, scriptedService } from '../support/scripted-service.ts';
import { serviceInProcess } from '../support/service-in-process.ts';

const id = '4f2c0c1e-6a53-4bd2-9a2e-1f1f3f0b9c11';
const at = '2024-05-01T10:00:00.000Z';

async function vals(args: readonly string[], replies: readonly Reply[], forever?: (seen: Seen) => Reply) {
  const { env, requests } = await scriptedService(replies, forever);
  const output = await inProcess(args, { env: environment(temporaryFolder(), env) });
  return { ...output, paths: requests.map(({ path }) => path) };
}

const cells = (stdout: string) => stdout.replace(/\n$/, '').split('\t');

describe('a row of a real service', () => {
  it.each([
    [['version', 'ls', id], { val_id: id, version: 2, createdAt: at }, ['2', at, id, '']],
    [['version', 'ls', id], { id, version: 0, runStartAt: at }, ['0', at, id, '']],
    [
      ['refs'],
      { reference: { id: 'r', name: 'n', username: 'ada' }, dependsOn: { name: 'd' } },
      ['n', 'd', 'ada', '', 'r'],
    ],
    [['refs'], { reference: { id: 'r', name: 'n', author: { username: 'bo' } } }, ['n', '', 'bo', '', 'r']],
    [
      ['refs'],
      { reference: { id: 'r', name: 'n', author: { id: 'a', username: null } } },
      ['n', '', '', '', 'r'],
    ],
    [
      ['likes'],
      { id, name: 'n', version: 1, author: { id: 'a', username: null }, createdAt: at, versionCreatedAt: at },
      ['n', '', '1', '', at, at, id],
    ],
    [['comments'], { id: 'c', comment: 'hi', author: { id: 'a', username: null } }, ['', '', '', 'hi', 'c']],
  ])('is shown by %j for %j', async (args, record, expected) => {
    const { exit, stdout } = await vals(args, [{ body: { data: [record], links: {} } }]);
    expect({ exit, cells: cells(stdout) }).toEqual({ exit: 0, cells: expected });
  });
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
    expect(await vals(['refs'], [{ body: next }, no])).toMatchObject({ exit: 6, stdout: '' });
  });
});

it('lists with several pages on the embedded service are read to their end', async () => {
  const references = Array.from({ length: 25 }, (_, i) => ({ reference: { name: `r${i}` } }));
  const service = await serviceInProcess({ references });
  const env = environment(temporaryFolder(), service.env);
  let id = '';
  for (let i = 0; i < 25; i++) {
    const { stdout } = await inProcess(['push', '-', '--name', 'many', '--json'], { env, input: `${i}` });
    id = JSON.parse(stdout)[0].id;
  }
  for (const args of [['refs'], ['version', 'ls', id]]) {
    const { stdout } = await inProcess([...args, '--ndjson'], { env });
    expect(new Set(stdout.trim().split('\n')).size).toBe(25);
  }
});

describe('a helpful hint', () => {
  const without = { body: { id, version: 1, code: null } };
  it.each([
    [['version', 'restore', id, '1'], [without]],
    [['version', 'get', id, '1', '--code'], [without]],
    [
      ['version', 'diff', id, '1', '2'],
      [without, without],
    ],
  ])('is given by %j for a version without code', async (args, replies) => {
    const { exit, stderr } = await vals(args, replies);
    expect(exit).toBe(11);
    expect(stderr).not.toContain('--json');
    expect(stderr).toContain(`vals val get ${id} --code`);
  });

  it.each([
    [['runs'], [], 'vals val runs <val>'],
    [['likes'], [], 'does not support this command'],
    [['val', 'runs', id], [{ body: { id } }], 'does not list the runs of a single val'],
  ])('is given by %j if the service has no such route', async (args, later, hint) => {
    const { exit, stderr } = await vals(args, [{ status: 404 }, ...later]);
    expect(exit).toBe(3);
    expect(stderr).not.toContain('Check the id');
    expect(stderr).toContain(hint);
  });
});

describe('runs of one val, filtered by the client,', () => {
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
    [['--error'], ['r0', 'r50', 'r100', 'r150', 'r200']],
    [
      ['--error', '--limit', '2'],
      ['r0', 'r50'],
    ],
    [
      ['--error', '--limit', '2', '--offset', '3'],
      ['r150', 'r200'],
    ],
    [
      ['--no-error', '--limit', '2'],
      ['r1', 'r2'],
    ],
    [
      ['--since', ago(2)],
      ['r0', 'r1'],
    ],
    [
      ['--until', ago(248), '--all'],
      ['r248', 'r249'],
    ],
    [
      ['--since', ago(101), '--until', ago(99)],
      ['r99', 'r100'],
    ],
    [['--since', ago(101), '--until', ago(99), '--error'], ['r100']],
  ])('are listed by %j', async (args, expected) => {
    const { exit, stdout, paths } = await vals(['val', 'runs', id, ...args, '--fields', 'id'], [], paged);
    expect({ exit, ids: stdout.trim().split('\n') }).toEqual({ exit: 0, ids: expected });
    expect(paths.every((path) => /\/runs\?limit=\d+&offset=\d+$/.test(path))).toBe(true);
  });

  it('are counted in a summary', async () => {
    const { stdout } = await vals(['val', 'runs', id, '--error', '--summary', '--json'], [], paged);
    expect(JSON.parse(stdout)).toMatchObject([{ runs: 5, failed: 5 }]);
  });
});
