import { describe, expect, it } from 'vitest';
import { run } from '../../support/program.ts';
import { scriptedService } from '../../support/scripted-service.ts';
import { id } from './pushes.ts';

it.each([[['runs', '--all']], [['version', 'ls', id]]])(
  '%j continues by offset if the link to the next page has no query',
  async (args) => {
    const records = Array.from({ length: 150 }, (_, i) => ({ id: `r${i}`, version: i, val_id: id }));
    const service = await scriptedService([], ({ path }) => {
      const { searchParams, pathname } = new URL(path, 'http://service');
      const offset = Number(searchParams.get('offset') ?? 0);
      const end = offset + Number(searchParams.get('limit') ?? 100);
      const links = end < records.length ? { next: `http://elsewhere${pathname}` } : {};
      return { body: { data: records.slice(offset, end), links } };
    });
    const { exit, stdout, stderr } = await run([...args, '--json'], service);
    expect({ exit, stderr }).toEqual({ exit: 0, stderr: '' });
    expect(JSON.parse(stdout)).toEqual(records);
  },
);

it.each([
  [401, 4, 'The service asks for a token'],
  [404, 3, 'Without a token, you see only what everybody may read.'],
])('without a token, a status %i of a val leads to vals login', async (status, exit, message) => {
  const { baseUrl } = await scriptedService([], () => ({ status, body: {} }));
  const result = await run(['val', 'get', id, '--json'], { env: { VALS_BASE_URL: baseUrl } });
  expect(result).toMatchObject({
    exit,
    error: { message: expect.stringContaining(message), hint: expect.stringContaining('vals login') },
  });
});

describe('an error that the service sends with status 200', () => {
  const error = { error: 'quota exceeded.', code: 'QUOTA' };

  it.each([[['val', 'create', 'hello']], [['push', '-', '--name', 'hello']], [['val', 'get', id]]])(
    'makes %j fail',
    async (args) => {
      const service = await scriptedService([], ({ method, path }) =>
        method === 'GET' && path === '/v1/me/vals' ? { body: [] } : { body: error },
      );
      const result = await run([...args, '--json'], { env: service.env, input: 'code' });
      expect(result).toMatchObject({
        exit: 11,
        error: { message: `${service.baseUrl} sent an error with the status 200: quota exceeded.` },
      });
    },
  );

  it('is printed as it is by vals api, and is no error beside an id, a version or a list', async () => {
    const exitOf = async (body: object, ...args: string[]) => {
      const { env } = await scriptedService([], () => ({ body }));
      return (await run([...args, '--json'], { env })).exit;
    };
    expect(await exitOf(error, 'api', '/v1/me')).toBe(0);
    expect(await exitOf({ id, ...error }, 'val', 'get', id)).toBe(0);
    expect(await exitOf({ version: 2, ...error }, 'val', 'get', id)).toBe(0);
    expect(await exitOf({ data: [], errors: ['one'] }, 'ls')).toBe(0);
    expect(await exitOf({ name: 'hello', error: null, errors: [] }, 'val', 'get', id)).toBe(0);
  });
});
