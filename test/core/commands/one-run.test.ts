import { expect, it } from 'vitest';
import { run, runOnScreen } from '../../support/program.ts';
import { type Reply, type Seen, scriptedService } from '../../support/scripted-service.ts';
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
  const message = 'There is no run abcdef12, and no val of that name.';
  const result = await run(['runs', 'abcdef12', '--json'], { env: service.env });
  expect(result).toMatchObject({ exit: 3, stdout: '', error: { message } });
  expect(paths(service).sort()).toEqual(['/v1/me', '/v1/me/runs', '/v1/users/me/vals']);
});
