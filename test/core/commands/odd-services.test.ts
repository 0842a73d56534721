import { expect, it } from 'vitest';
import { run } from '../../support/program.ts';
import { scriptedService } from '../../support/scripted-service.ts';
import { id } from './pushes.ts';

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

const error = { error: 'quota exceeded.', code: 'QUOTA' };

it.each<[exit: number, body: object, line: string]>([
  [11, error, 'val create hello'],
  [11, error, `val get ${id}`],
  [0, error, 'api /v1/me'],
  [0, { id, ...error }, `val get ${id}`],
  [0, { version: 2, ...error }, `val get ${id}`],
  [0, { name: 'hello', error: null, errors: [] }, `val get ${id}`],
])('exit %i for status 200 with %j: vals %s', async (exit, body, line) => {
  const service = await scriptedService([{ body }]);
  const result = await run([...line.split(' '), '--json'], { env: service.env, input: 'code' });
  expect(result.exit).toBe(exit);
  const says = expect.stringContaining('sent an object with the keys error, code');
  expect(result.error?.message).toEqual(exit === 11 ? says : undefined);
});
