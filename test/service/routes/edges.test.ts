import { expect, test } from 'vitest';
import { temporaryService } from '../support.ts';

const service = await temporaryService();
const { id } = await service.createVal({ name: 'there', code: 'c' });
const absent = '00000000-0000-4000-8000-000000000000';

test.each([
  ['POST', `/v1/vals/${absent}/versions`, 404],
  ['DELETE', "/v1/vals/'%20OR%201=1", 404],
  ['GET', `/v1/vals/${id}/versions/${'9'.repeat(400)}`, 404],
  ['DELETE', `/v1/vals/${id}/versions/latest`, 400],
  ['GET', '/v1/me/', 404],
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
  ['Basic', 401],
])('a token with the scheme "%s" is answered with %i', async (scheme, status) => {
  const headers = { Authorization: `${scheme} ${service.token}` };
  expect(await service.statusOf('GET', '/v1/me', { token: null, headers })).toBe(status);
});

test('a body is JSON, whatever its header says', async () => {
  const raw = JSON.stringify({ name: 'typed', code: 'é' });
  for (const type of ['application/json; charset=utf-8', 'text/plain', '']) {
    const headers = { 'Content-Type': type };
    expect(await service.statusOf('PUT', '/v1/vals', { raw, headers }), type).toBeLessThan(300);
  }
});

test('an Idempotency-Key is accepted, and nothing is kept for it', async () => {
  const headers = { 'Idempotency-Key': 'key' };
  const post = (name: string) => service.ask('POST', '/v1/vals', { body: { name, code: 'c' }, headers });
  expect([(await post('once')).status, (await post('once')).status]).toEqual([201, 409]);
  expect((await post('other')).status).toBe(201);
});

test('an unknown route is 404, whatever its body', async () => {
  const question = { raw: 'x', headers: { 'Content-Type': 'application/xml; charset=utf-16' } };
  expect(await service.statusOf('POST', '/v1/nowhere', question)).toBe(404);
});
