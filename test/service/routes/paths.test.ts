import { expect, test } from 'vitest';
import { temporaryService } from '../support.ts';

const service = await temporaryService();
const { id } = await service.createVal({ name: 'there', code: 'c' });
const absent = '00000000-0000-4000-8000-000000000000';

test.each([
  ['GET', `/v1/vals/${absent}/runs`, 404],
  ['POST', `/v1/vals/${absent}/versions`, 404],
  ['DELETE', "/v1/vals/'%20OR%201=1", 404],
  ...['7', '9'.repeat(400)].map((number) => ['GET', `/v1/vals/${id}/versions/${number}`, 404]),
  ...['-1', 'latest', '01'].map((number) => ['DELETE', `/v1/vals/${id}/versions/${number}`, 400]),
  ['GET', '/v1/me/', 404],
  ['POST', '/v2/vals', 404],
  ['GET', `/v1/vals/${id}/versions/1/code`, 404],
] as [string, string, number][])('%s %s is answered with %i', async (method, path, status) => {
  const body = method === 'POST' ? { code: 'x' } : undefined;
  expect(await service.ask(method, path, { body })).toMatchObject({
    status,
    headers: { 'content-type': 'application/problem+json' },
    body: { type: 'about:blank', status, title: expect.any(String) },
  });
});

test.each([
  ['POST', '/v1/me', 'GET, HEAD'],
  ['HEAD', '/v1/vals', 'POST, PUT'],
  ['OPTIONS', `/v1/vals/${absent}/runs`, 'GET, HEAD, POST'],
])('%s %s is answered with 405', async (method, path, allow) => {
  expect(await service.ask(method, path)).toMatchObject({ status: 405, headers: { allow } });
});

test('HEAD is answered as GET, without a body', async () => {
  expect(await service.ask('HEAD', '/v1/me')).toMatchObject({
    status: 200,
    text: '',
    headers: { 'content-type': 'application/json' },
  });
  expect(await service.ask('HEAD', `/v1/vals/${absent}`)).toMatchObject({ status: 404, text: '' });
});

test.each([
  ['BEARER', 200],
  ['Bearer ', 200],
  ['Basic', 401],
  ['', 401],
])('a token with the scheme "%s" is answered with %i', async (scheme, status) => {
  const headers = { Authorization: `${scheme} ${service.token}` };
  expect(await service.statusOf('GET', '/v1/me', { token: null, headers })).toBe(status);
});
