import { beforeAll, describe, expect, test } from 'vitest';
import {
  ask,
  askText,
  behindProxy,
  browse,
  createVal,
  newPlace,
  signedIn,
  storeOf,
  type TemporaryService,
  temporaryService,
  type Val,
} from '../support.ts';

let at: string;
let service: TemporaryService;
let val: Val;
beforeAll(async () => {
  at = await newPlace();
  val = await createVal(await temporaryService({ at }), { name: 'hello', code: 'my_code' });
  service = await temporaryService({ at, network: behindProxy });
});

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
    expect(headers['content-security-policy']).toContain("default-src 'none'");
    expect(headers['content-security-policy']).toContain("form-action 'self'");
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
    const { text } = await visit('/?val="><script>alert(1)</script>');
    expect(text).not.toContain('<script');
    expect(text).not.toContain('val="');
  });

  test('accepts the token, sets a cookie, and redirects to the requested page', async () => {
    const { status, headers } = await signIn(` ${service.token}\n`, {}, `/sign-in?val=${val.id}`);
    expect(status).toBe(303);
    expect(headers.location).toBe(`/?val=${val.id}`);
    expect(headers['set-cookie']).toEqual([
      expect.stringMatching(
        /^__Host-vals=[\w-]+\.\d+\.[\w-]{43}; Max-Age=43200; Path=\/; HttpOnly; SameSite=Lax; Secure$/,
      ),
    ]);
    expect(headers['set-cookie']?.[0]).not.toContain(service.token);
  });

  test.each(['?//evil.example', '?@evil.example', '?next=https://evil.example'])(
    'leads to no other site: %s',
    async (query) => {
      const { headers } = await signIn(service.token, {}, `/sign-in${query}`);
      expect(new URL(headers.location ?? '', behindProxy.publicUrl).host).toBe('vals.example');
      expect(headers.location).toMatch(/^\/\?/);
    },
  );

  test.each(['', 'wrong'])('refuses the token "%s"', async (token) => {
    const { status, text, headers } = await signIn(token);
    expect(status).toBe(401);
    expect(headers['set-cookie']).toBeUndefined();
    expect(text).toContain('does not know the token');
    expect(text).toContain('<form');
  });

  test.each<[string, Record<string, string>, number]>([
    ['a page without an Origin', { Origin: '' }, 403],
    ['another page', { Origin: 'https://evil.example' }, 403],
    ['a request to another Host', { Host: 'evil.example' }, 403],
    ['a request with JSON', { 'Content-Type': 'application/json' }, 415],
  ])('is refused from %s', async (_, headers, status) => {
    const answer = await signIn(service.token, headers);
    expect(answer.status).toBe(status);
    expect(answer.headers['set-cookie']).toBeUndefined();
  });

  test('is answered with 413 when it is large', async () => {
    expect((await signIn('x'.repeat(10_000))).status).toBe(413);
  });
});

describe('the cookie', () => {
  test('opens the page, which has a button to sign out', async () => {
    const cookie = await signedIn(service, service.token);
    const { status, text, headers } = await visit('/', { cookie: `a=b; ${cookie}` });
    expect(status).toBe(200);
    expect(text).toContain('hello');
    expect(text).toContain('action="/sign-out"');
    expect(headers['content-security-policy']).toContain("form-action 'self'");
    expect((await visit(`/?val=${val.id}`, { cookie })).text).toContain('my_code');
  });

  test('is not accepted by the API', async () => {
    const cookie = await signedIn(service, service.token);
    expect((await visit('/v1/me', { cookie })).status).toBe(401);
    expect((await visit(`/v1/vals/${val.id}`, { cookie })).status).toBe(404);
    const direct = { baseUrl: `http://127.0.0.1:${service.port}` };
    const headers = { Host: 'vals.example', cookie };
    const created = await askText(direct, 'POST', '/v1/vals', { body: { name: 'x', code: 'x' }, headers });
    expect(created.status).toBe(401);
  });

  test('is accepted by another process on the same store', async () => {
    const other = await temporaryService({ at: at, network: behindProxy });
    const cookie = await signedIn(service, service.token);
    expect((await visit('/', { cookie }, other)).status).toBe(200);
  });

  test('is not accepted by a service on another store', async () => {
    const stranger = await temporaryService({ network: behindProxy });
    const cookie = await signedIn(stranger, stranger.token);
    expect((await visit('/', { cookie }, stranger)).status).toBe(200);
    expect((await visit('/', { cookie })).status).toBe(401);
  });

  test("shows only the person's own vals, and ends when the token is replaced or the person is removed", async () => {
    const { users } = await storeOf({ at });
    const { token = '' } = (await users.add('ada')) ?? {};
    const cookie = await signedIn(service, token);
    const { status, text } = await visit('/', { cookie });
    expect(status).toBe(200);
    expect(text).toContain('No vals yet');
    expect((await visit(`/?val=${val.id}`, { cookie })).status).toBe(404);
    const renewed = await users.renewToken('ada');
    expect((await visit('/', { cookie })).status).toBe(401);
    expect((await signIn(token)).status).toBe(401);
    const next = await signedIn(service, renewed?.token ?? '');
    expect((await visit('/', { cookie: next })).status).toBe(200);
    await users.remove('ada', false);
    expect((await visit('/', { cookie: next })).status).toBe(401);
  });

  test('is refused when anything in it was changed', async () => {
    const cookie = await signedIn(service, service.token);
    const [name = '', value = ''] = cookie.split('=');
    const [id = '', end = '', code = ''] = value.split('.');
    for (const parts of [
      [id, `${Number(end) + 1}`, code],
      [id, end, `${code}x`],
      ['someone-else', end, code],
      [id],
    ]) {
      const changed = `${name}=${parts.join('.')}`;
      expect((await visit('/', { cookie: changed })).status, changed).toBe(401);
    }
  });

  test('is removed by a sign-out, which a page of another site cannot send', async () => {
    const cookie = await signedIn(service, service.token);
    const signOut = (headers: object) =>
      browse(service, '/sign-out', { form: '', headers: { cookie, ...headers } });
    expect((await signOut({ Origin: 'https://evil.example' })).status).toBe(403);
    const { status, headers } = await signOut({});
    expect(status).toBe(303);
    expect(headers.location).toBe('/');
    expect(headers['set-cookie']?.[0]).toMatch(/^__Host-vals=; Max-Age=0; Path=\/; /);
  });
});

test('the forms are accepted only by POST, and not at all without a public URL', async () => {
  for (const path of ['/sign-in', '/sign-out']) {
    expect(await visit(path)).toMatchObject({ status: 405, headers: { allow: 'POST' } });
  }
  const plain = await temporaryService();
  expect((await ask(plain, 'POST', '/sign-in', { body: {} })).status).toBe(404);
});
