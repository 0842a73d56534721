import { describe, expect, test } from 'vitest';
import { behindProxy, browse, clientOf, newPlace, signedIn, storeOf, temporaryService } from '../support.ts';

const at = await newPlace();
const val = await (await temporaryService({ at })).createVal({ name: 'hello', code: 'my_code' });
const service = await temporaryService({ at, network: behindProxy });

const visit = (path: string, headers: Record<string, string> = {}, to = service) =>
  browse(to, path, { headers });

const signIn = (token: string, headers: Record<string, string> = {}, path = '/sign-in') =>
  browse(service, path, { form: `token=${encodeURIComponent(token)}`, headers });

describe('the form', () => {
  test('is sent to a browser that is not signed in, and shows no val', async () => {
    const { status, text, headers } = await visit(`/?val=${val.id}`);
    expect(status).toBe(401);
    expect(text).toContain(`<form method="post" action="/sign-in?val=${val.id}">`);
    expect(text).toContain('type="password"');
    expect(text).not.toContain('hello');
    expect(headers['content-security-policy']).toMatch(/default-src 'none'.*form-action 'self'/);
    // With the policy no-referrer, a browser would send "Origin: null" with the form, so the policy is same-origin.
    expect(headers['referrer-policy']).toBe('same-origin');
    expect(headers['set-cookie']).toBeUndefined();
  });

  test('other programs get a problem, and there is no link as on the loopback address', async () => {
    const answer = await visit('/', { Accept: 'application/json' });
    expect(answer).toMatchObject({ status: 401, headers: { 'content-type': 'application/problem+json' } });
    expect((await visit('/?key=')).status).toBe(401);
    expect(service.pageLink()).toBe('');
  });

  test('escapes the query of the request', async () => {
    expect((await visit('/?val="><script>alert(1)</script>')).text).not.toMatch(/<script|val="/);
  });

  test('accepts the token, sets a cookie, and redirects to the requested page', async () => {
    const { status, headers } = await signIn(` ${service.token}\n`, {}, `/sign-in?val=${val.id}`);
    expect({ status, location: headers.location }).toEqual({ status: 303, location: `/?val=${val.id}` });
    expect(headers['set-cookie']).toEqual([
      expect.stringMatching(
        /^__Host-vals=[\w-]+\.\d+\.[\w-]{43}; Max-Age=43200; Path=\/; HttpOnly; SameSite=Lax; Secure$/,
      ),
    ]);
    expect(headers['set-cookie']?.[0]).not.toContain(service.token);
  });

  test.each<[string, string, Record<string, string>, number, string]>([
    ['without a token', '', {}, 401, 'does not know the token'],
    ['with a wrong token', 'wrong', {}, 401, 'does not know the token'],
    ['without an Origin', service.token, { Origin: '' }, 403, 'from its own page'],
    ['from another page', service.token, { Origin: 'https://evil.example' }, 403, 'from its own page'],
    ['to another Host', service.token, { Host: 'evil.example' }, 403, 'it expects https://vals.example'],
    ['with JSON', service.token, { 'Content-Type': 'application/json' }, 415, 'must be a form'],
    ['with 10,000 characters', 'x'.repeat(10_000), {}, 413, 'at most 4096 bytes'],
  ])('is refused %s', async (_, token, headers, status, says) => {
    const answer = await signIn(token, headers);
    expect(answer).toMatchObject({ status, text: expect.stringContaining(says) });
    expect(answer.headers['set-cookie']).toBeUndefined();
  });
});

describe('the cookie', async () => {
  const cookie = await signedIn(service, service.token);

  test('opens the page, which has a button to sign out', async () => {
    const { status, text, headers } = await visit('/', { cookie: `a=b; ${cookie}` });
    expect(status).toBe(200);
    expect(text).toContain('hello');
    expect(text).toContain('action="/sign-out"');
    expect(headers['content-security-policy']).toContain("form-action 'self'");
    expect((await visit(`/?val=${val.id}`, { cookie })).text).toContain('my_code');
  });

  test('is not accepted by the API', async () => {
    expect((await visit('/v1/me', { cookie })).status).toBe(401);
    expect((await visit(`/v1/vals/${val.id}`, { cookie })).status).toBe(404);
    const direct = clientOf({ baseUrl: `http://127.0.0.1:${service.port}` });
    const headers = { Host: 'vals.example', cookie };
    expect(await direct.statusOf('POST', '/v1/vals', { body: { name: 'x', code: 'x' }, headers })).toBe(401);
  });

  test('is accepted by another process on the same store, and not on another store', async () => {
    const other = await temporaryService({ at, network: behindProxy });
    expect((await visit('/', { cookie }, other)).status).toBe(200);
    const stranger = await temporaryService({ network: behindProxy });
    expect((await visit('/', { cookie }, stranger)).status).toBe(401);
  });

  test("shows only the person's own vals, and ends when the token is replaced or the person is removed", async () => {
    const { people } = await storeOf({ at });
    const { token = '' } = (await people.add('ada')) ?? {};
    const cookie = await signedIn(service, token);
    const page = await visit('/', { cookie });
    expect(page).toMatchObject({ status: 200, text: expect.stringContaining('No vals yet') });
    expect((await visit(`/?val=${val.id}`, { cookie })).status).toBe(404);
    const renewed = await people.renewToken('ada');
    expect((await visit('/', { cookie })).status).toBe(401);
    expect((await signIn(token)).status).toBe(401);
    const next = await signedIn(service, renewed?.token ?? '');
    expect((await visit('/', { cookie: next })).status).toBe(200);
    await people.remove('ada', { withVals: false });
    expect((await visit('/', { cookie: next })).status).toBe(401);
  });

  test('is refused when anything in it was changed', async () => {
    const [name = '', value = ''] = cookie.split('=');
    const [id = '', end = '', code = ''] = value.split('.');
    for (const parts of [
      [id, `${Number(end) + 1}`, code],
      [id, end, `${code}x`],
      ['other', end, code],
      [id],
    ]) {
      const changed = `${name}=${parts.join('.')}`;
      expect((await visit('/', { cookie: changed })).status, changed).toBe(401);
    }
  });

  test('is removed by a sign-out, which a page of another site cannot send', async () => {
    const signOut = (headers: object) =>
      browse(service, '/sign-out', { form: '', headers: { cookie, ...headers } });
    expect((await signOut({ Origin: 'https://evil.example' })).status).toBe(403);
    const { status, headers } = await signOut({});
    expect({ status, location: headers.location }).toEqual({ status: 303, location: '/' });
    expect(headers['set-cookie']?.[0]).toMatch(/^__Host-vals=; Max-Age=0; Path=\/; /);
  });
});

test("the forms are accepted only by POST, and not at all on the owner's own service", async () => {
  for (const path of ['/sign-in', '/sign-out']) {
    expect(await visit(path)).toMatchObject({ status: 405, headers: { allow: 'POST' } });
  }
  expect(await (await temporaryService()).statusOf('POST', '/sign-in', { body: {} })).toBe(404);
});
