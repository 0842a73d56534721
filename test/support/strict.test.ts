import { expect, it } from 'vitest';
import { startStrict } from './strict-service.ts';

it('serves the 14 routes and nothing else', async () => {
  const { env, baseUrl, writes, codes, edit, addPerson } = await startStrict();
  const { id } = edit('hello', 'one');
  const status = async (method: string, path: string, body?: object, token = env.VALS_TOKEN) => {
    const headers = { authorization: `Bearer ${token}`, 'content-type': 'application/json' };
    return (await fetch(`${baseUrl}${path}`, { method, headers, body: body && JSON.stringify(body) })).status;
  };
  expect(await status('GET', '/v1/users/u/vals')).toBe(404);
  expect(await status('PUT', `/v1/vals/${id}`, {})).toBe(405);
  expect(await status('POST', `/v1/vals/${id}/runs`, {})).toBe(405);
  expect(await status('GET', '/v1/me', undefined, 'wrong')).toBe(401);
  expect(await status('GET', `/v1/vals/${id}`, undefined, addPerson('bob').token)).toBe(404);
  expect(await status('PUT', '/v1/vals', { name: 'a', code: 'a', more: 1 })).toBe(400);
  expect(await status('POST', '/v1/vals', { name: 'hello', code: 'a' })).toBe(409);
  expect(await status('GET', '/v1/me/runs?limit=101')).toBe(400);
  expect(await status('PUT', '/v1/vals', { name: 'hello', code: 'two' })).toBe(200);
  expect(codes('hello')).toEqual(['one', 'two']);
  expect(writes()).toContain('PUT /v1/vals');
});
