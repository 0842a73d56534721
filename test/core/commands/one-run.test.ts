import { describe, expect, it } from 'vitest';
import { run, runOnScreen } from '../../support/program.ts';
import { pageOf, type Reply, type Seen, scriptedService } from '../../support/scripted-service.ts';
import { a, b } from './pushes.ts';

const failure = 'Error: too small\n    at greet.ts:3:9\n    at main.ts:1:1';
const runOf = (id: string) => ({
  id,
  val: { id: 'v', name: 'greet', version: 2 },
  runStartAt: '2026-01-02T03:04:05.000Z',
  runEndAt: '2026-01-02T03:04:06.000Z',
  error: failure,
});
const logs = 'first line\n\tsecond\u001b[2J line\n';

const withRoute = ({ path }: Seen): Reply => {
  if (path.startsWith('/v1/me/runs')) return { body: { data: [runOf(b), runOf(a)], links: {} } };
  return path === `/v1/runs/${a}` ? { body: { ...runOf(a), logs } } : { status: 404 };
};
const withoutRoute = (seen: Seen): Reply =>
  seen.path.startsWith('/v1/runs/') ? { status: 404 } : withRoute(seen);
const paths = ({ requests }: { requests: readonly Seen[] }) => requests.map(({ path }) => path.split('?')[0]);

it('runs with the first 8 characters of an id finds the run in the list', async () => {
  const service = await scriptedService([], withRoute);
  const { stdout } = await run(['runs', a.slice(0, 8).toUpperCase(), '--json'], { env: service.env });
  expect(JSON.parse(stdout)).toMatchObject({ id: a, logs });
  expect(paths(service)).toEqual(['/v1/me/runs', `/v1/runs/${a}`]);
});

it('a terminal shows the whole error and what the run printed, harmlessly', async () => {
  const service = await scriptedService([], withRoute);
  const { screen } = await runOnScreen(['runs', a, '--no-color'], { env: service.env });
  for (const line of [...failure.split('\n'), 'first line']) expect(screen).toContain(line.trim());
  expect(screen).toContain('    second\\u001b[2J line');
  expect(screen).toContain('greet');
});

it('a service without the route shows the run from the list, and says so', async () => {
  const service = await scriptedService([], withoutRoute);
  const { exit, stdout, stderr } = await run(['runs', a, '--json'], { env: service.env });
  expect({ exit, record: JSON.parse(stdout) }).toEqual({ exit: 0, record: runOf(a) });
  expect(stderr).toBe('The service does not keep what a run printed.\n');
});

it('a beginning that several runs share is refused, and names them', async () => {
  const other = a.replace(/.$/, '2');
  const service = await scriptedService([{ body: { data: [runOf(a), runOf(other)], links: {} } }]);
  const { exit, error } = await run(['runs', a.slice(0, 8), '--json'], { env: service.env });
  expect({ exit, message: error?.message }).toEqual({
    exit: 2,
    message: `2 runs have ids that begin with "${a.slice(0, 8)}": ${a} and ${other}.`,
  });
});

it('a word that is no run and no val costs one page of runs', async () => {
  const page = (from: number) => Array.from({ length: 100 }, (_, index) => runOf(`run-${from + index}`));
  const service = await scriptedService([], ({ path }): Reply => {
    const query = new URL(path, 'http://localhost').searchParams;
    if (path.startsWith('/v1/me/runs')) return { body: { data: page(Number(query.get('offset'))) } };
    return path === '/v1/me' ? { body: { id: 'me' } } : { status: 404 };
  });
  const message = 'There is no run abcdef12 among the newest 100, and no val of that name.';
  const result = await run(['runs', 'abcdef12', '--json'], { env: service.env });
  expect(result).toMatchObject({ exit: 3, stdout: '', error: { message } });
  expect(paths(service).sort()).toEqual(['/v1/me', '/v1/me/runs', '/v1/users/me/vals']);
});

describe('without a route for one run, a whole id', () => {
  const ids = Array.from({ length: 1_500 }, (_, index) => a.replace(/.{12}$/, `${10 ** 11 + index}`));
  async function find(index: number) {
    const service = await scriptedService([], (seen): Reply => {
      if (seen.path.startsWith('/v1/me/runs')) return pageOf(ids.map(runOf), seen, { hasLinks: true });
      return { status: 404 };
    });
    const result = await run(['runs', ids[index] ?? '', '--json'], { env: service.env });
    return { ...result, pages: paths(service).filter((path) => path === '/v1/me/runs').length };
  }

  it('is found among the newest 1,000 runs', async () => {
    const { exit, stdout, pages } = await find(999);
    expect({ exit, pages, id: JSON.parse(stdout).id }).toEqual({ exit: 0, pages: 10, id: ids[999] });
  });

  it('is exit 3 further back, which says so', async () => {
    const { exit, error, pages } = await find(1_000);
    expect({ exit, pages }).toEqual({ exit: 3, pages: 10 });
    expect(error?.message).toBe(
      `There is no run ${ids[1_000]} among the newest 1,000, and no val of that name.`,
    );
    expect(error?.hint).toContain('`vals runs --all`');
  });
});

it('in a pipe, a run has the columns of a list, and by and logs after them', async () => {
  const service = await scriptedService([], withRoute);
  const cells = async (args: string[]) =>
    (await run(args, { env: service.env })).stdout.split('\n')[0]?.split('\t');
  const one = await cells(['runs', a]);
  const list = await cells(['runs', '--offset', '0', '--limit', '2']);
  expect(list).toHaveLength(6);
  expect(one).toEqual([...(list ?? []).with(5, a), '', 'first line\\n\\tsecond\\u001b[2J line\\n']);
});
