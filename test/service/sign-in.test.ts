// The page of a service with a public URL: who is let in by the form, and what the cookie opens.
import { beforeAll, describe, expect, test } from 'vitest';
import { loopbackAddresses } from '../../src/lib/addresses.ts';
import { openStore } from '../../src/service/index.ts';
import { placeOf } from '../support/embedded-service.ts';
import { ask, askText, createVal, newPlace, temporaryService, type Val } from './support.ts';

const publicUrl = new URL('https://vals.example');
const network = { host: '127.0.0.1', publicUrl, proxies: loopbackAddresses };
let at: string;

type Service = Awaited<ReturnType<typeof temporaryService>>;
let service: Service;
let val: Val;
beforeAll(async () => {
  at = await newPlace();
  val = await createVal(await temporaryService({ at }), { name: 'hello', code: 'my_code' });
  service = await temporaryService({ at: at, network });
});

let callers = 0;
/** From a caller of its own each time, as the proxy says. */
const send = (
  method: string,
  path: string,
  headers: Record<string, string> = {},
  raw?: string,
  to = service,
) =>
  askText({ baseUrl: `http://127.0.0.1:${to.port}`, token: to.token }, method, path, {
    token: null,
    headers: {
      Host: 'vals.example',
      Accept: 'text/html',
      'X-Forwarded-For': `10.0.${Math.floor(callers / 250)}.${callers++ % 250}`,
      ...headers,
    },
    raw,
  });

const form = {
  Origin: 'https://vals.example',
  'Content-Type': 'application/x-www-form-urlencoded',
};
const signIn = (token: string, headers: Record<string, string> = {}, path = '/sign-in', to = service) =>
  send('POST', path, { ...form, ...headers }, `token=${encodeURIComponent(token)}`, to);

async function session(to = service) {
  const { headers } = await signIn(to.token, {}, '/sign-in', to);
  return headers['set-cookie']?.[0]?.split(';')[0] ?? '';
}

describe('the form', () => {
  test('is what a browser gets, and shows no val', async () => {
    const { status, text, headers } = await send('GET', `/?val=${val.id}`);
    expect(status).toBe(401);
    expect(text).toContain(`<form method="post" action="/sign-in?val=${val.id}">`);
    expect(text).toContain('type="password"');
    expect(text).not.toContain('hello');
    expect(headers['content-security-policy']).toContain("default-src 'none'");
    expect(headers['content-security-policy']).toContain("form-action 'self'");
    expect(headers['content-security-policy']).not.toContain('script-src');
    // With no-referrer a browser sends "Origin: null" with the form.
    expect(headers['referrer-policy']).toBe('same-origin');
    expect(headers['set-cookie']).toBeUndefined();
  });

  test('other programs get a problem, and there is no link as on the loopback address', async () => {
    const answer = await send('GET', '/', { Accept: 'application/json' });
    expect(answer).toMatchObject({ status: 401, headers: { 'content-type': 'application/problem+json' } });
    expect((await send('GET', '/?key=')).status).toBe(401);
    expect(service.pageLink()).toBe('');
  });

  test('shows what was asked for as text', async () => {
    const { text } = await send('GET', '/?val="><script>alert(1)</script>');
    expect(text).not.toContain('<script');
    expect(text).not.toContain('val="');
  });

  test('takes the token, and leads to what was asked for, with a cookie', async () => {
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
    'leads nowhere else: %s',
    async (query) => {
      const { headers } = await signIn(service.token, {}, `/sign-in${query}`);
      expect(new URL(headers.location ?? '', publicUrl).host).toBe('vals.example');
      expect(headers.location).toMatch(/^\/\?/);
    },
  );

  test.each(['', 'wrong', ' ', 'x'.repeat(300)])('refuses the token "%s"', async (token) => {
    const { status, text, headers } = await signIn(token);
    expect(status).toBe(401);
    expect(headers['set-cookie']).toBeUndefined();
    expect(text).toContain('does not know the token');
    expect(text).toContain('<form');
  });

  test.each<[string, Record<string, string>, number]>([
    ['no Origin', { Origin: '' }, 403],
    ['another page', { Origin: 'https://evil.example' }, 403],
    ['a hidden page', { Origin: 'null' }, 403],
    ['http', { Origin: 'http://vals.example' }, 403],
    ['another port', { Origin: 'https://vals.example:8443' }, 403],
    ['another Host', { Host: 'evil.example' }, 403],
    ['JSON', { 'Content-Type': 'application/json' }, 415],
    ['text', { 'Content-Type': 'text/plain' }, 415],
  ])('%s: refused', async (_, headers, status) => {
    const answer = await signIn(service.token, headers);
    expect(answer.status).toBe(status);
    expect(answer.headers['set-cookie']).toBeUndefined();
  });

  test('a large one: 413', async () => {
    expect((await signIn('x'.repeat(10_000))).status).toBe(413);
  });

  test('ten wrong tokens from one address, then none for a while, not even the right one', async () => {
    const from = { 'X-Forwarded-For': '192.0.2.1' };
    for (let i = 0; i < 10; i++) expect((await signIn('wrong', from)).status).toBe(401);
    const { status, text, headers } = await signIn(service.token, from);
    expect(status).toBe(429);
    expect(headers['retry-after']).toBe('6');
    expect(text).toContain('too many attempts');
    // Whoever is in front of the proxy cannot be another one by saying so.
    const forged = { 'X-Forwarded-For': '192.0.2.99, 192.0.2.1' };
    expect((await signIn(service.token, forged)).status).toBe(429);
    expect((await signIn(service.token, { 'X-Forwarded-For': '192.0.2.2' })).status).toBe(303);
  });
});

describe('the cookie', () => {
  test('is looked up once, however many a request has', async () => {
    const cookie = await session();
    const [name = ''] = cookie.split('=');
    const others = Array.from({ length: 300 }, (_, i) => `${name}=${i}.99999999999.code`).join('; ');
    expect((await send('GET', '/', { cookie: `${others}; ${cookie}` })).status).toBe(401);
    expect((await send('GET', '/', { cookie: `${cookie}; ${others}` })).status).toBe(200);
  });

  test('opens the page, with a way out', async () => {
    const cookie = await session();
    const { status, text, headers } = await send('GET', '/', { cookie: `a=b; ${cookie}` });
    expect(status).toBe(200);
    expect(text).toContain('hello');
    expect(text).toContain('action="/sign-out"');
    expect(headers['content-security-policy']).toContain("form-action 'self'");
    expect((await send('GET', `/?val=${val.id}`, { cookie })).text).toContain('my_code');
  });

  test('opens nothing of the API', async () => {
    const cookie = await session();
    expect((await send('GET', '/v1/me', { cookie })).status).toBe(401);
    expect((await send('GET', `/v1/vals/${val.id}`, { cookie })).status).toBe(404);
    const body = JSON.stringify({ name: 'x', code: 'x' });
    const json = { 'Content-Type': 'application/json' };
    expect((await send('POST', '/v1/vals', { cookie, ...json }, body)).status).toBe(401);
  });

  test('no page of another site uses it', async () => {
    const cookie = await session();
    expect((await send('GET', '/', { cookie, Origin: 'https://evil.example' })).status).toBe(403);
  });

  test('is good at another process on the same data', async () => {
    const other = await temporaryService({ at: at, network });
    const cookie = await session();
    expect((await send('GET', '/', { cookie }, undefined, other)).status).toBe(200);
  });

  test('is good nowhere else', async () => {
    const stranger = await temporaryService({ network });
    const cookie = await session(stranger);
    expect((await send('GET', '/', { cookie }, undefined, stranger)).status).toBe(200);
    expect((await send('GET', '/', { cookie })).status).toBe(401);
  });

  test("is the person's own, and ends with their token, and with them", async () => {
    const store = await openStore(placeOf(at));
    try {
      const { token = '' } = (await store.users.add('ada')) ?? {};
      const cookieOf = async (token: string) =>
        (await signIn(token)).headers['set-cookie']?.[0]?.split(';')[0] ?? '';
      const cookie = await cookieOf(token);
      const { status, text } = await send('GET', '/', { cookie });
      expect(status).toBe(200);
      expect(text).toContain('No vals yet');
      expect((await send('GET', `/?val=${val.id}`, { cookie })).status).toBe(404);
      const renewed = await store.users.renewToken('ada');
      expect((await send('GET', '/', { cookie })).status).toBe(401);
      expect((await signIn(token)).status).toBe(401);
      const next = await cookieOf(renewed?.token ?? '');
      expect((await send('GET', '/', { cookie: next })).status).toBe(200);
      await store.users.remove('ada', false);
      expect((await send('GET', '/', { cookie: next })).status).toBe(401);
    } finally {
      await store.close();
    }
  });

  test('is refused when anything in it was changed', async () => {
    const cookie = await session();
    const [name = '', value = ''] = cookie.split('=');
    const [id = '', end = '', code = ''] = value.split('.');
    const later = `${Number(end) + 1}`;
    const earlier = `${Number(end) - 50_000}`;
    for (const parts of [
      [id, later, code],
      [id, earlier, code],
      [id, end, `${code}x`],
      [id, end, ''],
      ['someone-else', end, code],
      [id],
      ['', '', ''],
      [id, '9'.repeat(400), code],
      [id, 'NaN', code],
    ]) {
      const changed = `${name}=${parts.join('.')}`;
      expect({ changed, status: (await send('GET', '/', { cookie: changed })).status }).toEqual({
        changed,
        status: 401,
      });
    }
    // Nor does a wrong one beside it keep the right one out.
    expect((await send('GET', '/', { cookie: `${name}=x.y.z; ${cookie}` })).status).toBe(200);
  });

  test('ends with a sign-out, which another page cannot send', async () => {
    const cookie = await session();
    const evil = await send('POST', '/sign-out', { ...form, cookie, Origin: 'https://evil.example' }, '');
    expect(evil.status).toBe(403);
    const { status, headers } = await send('POST', '/sign-out', { ...form, cookie }, '');
    expect(status).toBe(303);
    expect(headers.location).toBe('/');
    expect(headers['set-cookie']?.[0]).toMatch(/^__Host-vals=; Max-Age=0; Path=\/; /);
  });
});

test('the forms are taken by POST alone, and not at all without a public URL', async () => {
  for (const path of ['/sign-in', '/sign-out']) {
    expect(await send('GET', path)).toMatchObject({ status: 405, headers: { allow: 'POST' } });
  }
  const plain = await temporaryService();
  expect((await ask(plain, 'POST', '/sign-in', { body: {} })).status).toBe(404);
});
