import { createHash } from 'node:crypto';
import { describe, expect, test } from 'vitest';
import { sql } from '../../../src/service/database/sql.ts';
import { removeOwner } from '../../../src/service/store/owners.ts';
import { renewToken } from '../../../src/service/store/people.ts';
import { createSpace, grant, revoke } from '../../../src/service/store/spaces.ts';
import {
  addPerson,
  behindProxy,
  browse,
  clientOf,
  newPlace,
  signedIn,
  storeOf,
  temporaryService,
} from '../support.ts';

const at = await newPlace();
const own = await temporaryService({ at });
const val = await own.createVal({ name: 'hello', code: 'my_code' });
const service = await temporaryService({ at, network: behindProxy });

const visit = (path: string, headers: Record<string, string> = {}, to = service) =>
  browse(to, path, { headers });

const signIn = (token: string, headers: Record<string, string> = {}, path = '/sign-in') =>
  browse(service, path, { form: `token=${encodeURIComponent(token)}`, headers });

const isSignIn = ({ text }: { text: string }) => text.includes('<label for="token">');

describe('the form', () => {
  test('accepts the token, sets a cookie, and goes on to the requested page', async () => {
    const next = `/vals/${val.id}/versions/1?from=1`;
    const path = `/sign-in?next=${encodeURIComponent(next)}`;
    const { status, headers } = await signIn(` ${service.token}\n`, {}, path);
    expect({ status, location: headers.location }).toEqual({ status: 303, location: next });
    expect(headers['set-cookie']).toEqual([
      expect.stringMatching(
        /^__Host-vals=[\w-]{43}; Max-Age=43200; Path=\/; HttpOnly; SameSite=Lax; Secure$/,
      ),
    ]);
    expect(headers['set-cookie']?.[0]).not.toContain(service.token);
  });

  test.each(['https://evil.example/', '//evil.example', '/.//evil.example'])(
    'goes on to no other service than this one (%s)',
    async (next) => {
      const { headers } = await signIn(service.token, {}, `/sign-in?next=${encodeURIComponent(next)}`);
      expect(new URL(`${headers.location}`, 'https://vals.example').origin).toBe('https://vals.example');
    },
  );

  test('on loopback sets a cookie of this port', async () => {
    const { headers } = await own.ask('POST', '/sign-in', {
      raw: `token=${own.token}`,
      token: null,
      headers: { Origin: own.baseUrl, 'Content-Type': 'application/x-www-form-urlencoded' },
    });
    expect(headers['set-cookie']?.[0]).toMatch(
      new RegExp(`^vals-${own.port}=[^;]+; Max-Age=43200; Path=/; HttpOnly; SameSite=Lax$`),
    );
  });

  test.each<[string, string, Record<string, string>, number, string]>([
    ['without a token', '', {}, 401, 'does not know the token'],
    ['with a wrong token', 'wrong', {}, 401, 'does not know the token'],
    ['without an Origin', service.token, { Origin: '' }, 403, 'from its own page'],
    ['from another page', service.token, { Origin: 'https://evil.example' }, 403, 'from its own page'],
    ['to another Host', service.token, { Host: 'evil.example' }, 403, 'it expects https://vals.example'],
  ])('is refused %s', async (_, token, headers, status, says) => {
    const answer = await signIn(token, headers);
    expect(answer).toMatchObject({ status, text: expect.stringContaining(says) });
    expect(answer.text).toContain('<a class="brand" href="/">');
    expect(answer.headers['set-cookie']).toBeUndefined();
  });
});

describe('the link of `vals open`', () => {
  const linkOf = async (token: string, path = '/v1/me/page-link') => {
    const { body } = await clientOf({ baseUrl: `http://127.0.0.1:${service.port}`, token }).ask('GET', path, {
      headers: { Host: 'vals.example' },
    });
    return new URL((body as { url: string }).url);
  };

  test('signs a browser in once, at every process with the same data', async () => {
    const { origin, pathname, search } = await linkOf(service.token, `/v1/me/page-link?val=${val.id}`);
    expect(origin).toBe('https://vals.example');
    const other = await temporaryService({ at, network: behindProxy });
    const head = await clientOf({ baseUrl: `http://127.0.0.1:${other.port}` }).ask(
      'HEAD',
      `${pathname}${search}`,
      { headers: { Host: 'vals.example' } },
    );
    expect(head.headers['set-cookie']).toBeUndefined();
    const { status, headers } = await visit(`${pathname}${search}`, {}, other);
    expect({ status, location: headers.location }).toEqual({ status: 303, location: `/vals/${val.id}` });
    const cookie = `${headers['set-cookie']?.[0]}`.split(';')[0] ?? '';
    expect((await visit(`/vals/${val.id}`, { cookie })).text).toContain('my_code');
    const again = await visit(`${pathname}${search}`);
    expect(isSignIn(again)).toBe(true);
    expect(again.text).toContain('This link was used before');
    expect((await visit(`${pathname}${search}`, { cookie })).headers.location).toBe(`/vals/${val.id}`);
  });

  test('ends with the token that asked for it', async () => {
    const store = await storeOf({ at });
    const ida = await addPerson(own, 'ida');
    const { pathname, search } = await linkOf(ida.token);
    await renewToken(store, 'ida');
    expect(isSignIn(await visit(`${pathname}${search}`))).toBe(true);
  });
});

describe('the cookie', async () => {
  const cookie = await signedIn(service, service.token);

  test('opens the pages', async () => {
    const { status, text } = await visit('/', { cookie: `a=b; ${cookie.replace('=', '1=')}x; ${cookie}` });
    expect(status).toBe(200);
    expect(text).toContain('hello');
    expect(text).toContain('Signed in as <b>local</b></span>');
    expect((await visit(`/vals/${val.id}/raw`, { cookie })).text).toBe('my_code');
    for (const [path, status] of [
      ['/nothing', 404],
      ['/sign-out', 405],
      ['/v1/me', 401],
    ] as const) {
      const text = expect.stringMatching(/<a class="brand" href="\/">.*Signed in as.*\/sign-out/s);
      expect(await visit(path, { cookie })).toMatchObject({ status, text });
    }
  });

  test('is not accepted by the API', async () => {
    expect((await visit('/v1/me', { cookie })).status).toBe(401);
    expect((await visit(`/v1/vals/${val.id}`, { cookie })).status).toBe(404);
    const direct = clientOf({ baseUrl: `http://127.0.0.1:${service.port}` });
    const headers = { Host: 'vals.example', cookie };
    expect(await direct.statusOf('POST', '/v1/vals', { body: { name: 'x', code: 'x' }, headers })).toBe(401);
  });

  test('shows what the person may read, and ends with the token and the person', async () => {
    const store = await storeOf({ at });
    const ada = await addPerson(own, 'ada');
    const cookie = await signedIn(service, ada.token);
    expect((await visit('/', { cookie })).text).toContain('No vals yet');
    expect((await visit(`/vals/${val.id}`, { cookie })).status).toBe(404);
    const renewed = await renewToken(store, 'ada');
    expect(isSignIn(await visit('/', { cookie }))).toBe(true);
    const next = await signedIn(service, renewed?.token ?? '');
    expect(isSignIn(await visit('/', { cookie: next }))).toBe(false);
    await removeOwner(store.db, 'ada', 'person', { withVals: false });
    expect(isSignIn(await visit('/', { cookie: next }))).toBe(true);
  });

  test('is refused after twelve hours', async () => {
    const cookie = await signedIn(service, service.token);
    const [, value = ''] = cookie.split('=');
    const { db } = await storeOf({ at });
    const digest = createHash('sha256').update(value).digest('hex');
    const [session] = await db.query<{ endsAt: string }>(
      sql`SELECT ends_at AS "endsAt" FROM sessions WHERE digest = ${digest}`,
    );
    expect(Math.abs(Date.parse(`${session?.endsAt}`) - Date.now() - 12 * 3_600_000)).toBeLessThan(60_000);
    await db.transaction((tx) =>
      tx.query(sql`UPDATE sessions SET ends_at = ${new Date().toISOString()} WHERE digest = ${digest}`),
    );
    expect(isSignIn(await visit('/', { cookie }))).toBe(true);
  });

  test('ends with a sign-out, which a page of another site cannot send', async () => {
    const cookie = await signedIn(service, service.token);
    const signOut = (headers: object) =>
      browse(service, '/sign-out', { form: '', headers: { cookie, ...headers } });
    expect((await signOut({ Origin: 'https://evil.example' })).status).toBe(403);
    expect(isSignIn(await visit('/', { cookie }))).toBe(false);
    const { status, headers } = await signOut({});
    expect({ status, location: headers.location }).toEqual({ status: 303, location: '/' });
    expect(headers['set-cookie']?.[0]).toMatch(/^__Host-vals=; Max-Age=0; Path=\/; /);
    expect(isSignIn(await visit('/', { cookie }))).toBe(true);
  });
});

describe('the pages of a space', async () => {
  const store = await storeOf({ at });
  await createSpace(store.db, 'acme');
  await grant(store.db, 'acme', 'local', 'write');
  const eve = await addPerson(own, 'eve');
  await own.ask('PUT', '/@acme/v1/vals', { body: { name: 'shared', code: 'of_acme' } });
  const open = (
    await own.ask('POST', '/@acme/v1/vals', { body: { name: 'open', code: 'for_all', privacy: 'public' } })
  ).body as { id: string; url: string };
  const outsider = await signedIn(service, eve.token);

  test('have its public vals for everybody', async () => {
    const { pathname } = new URL(open.url);
    expect(pathname).toBe(`/@acme/vals/${open.id}`);
    expect((await visit(pathname)).text).toContain('for_all');
    expect((await visit('/@acme/', { cookie: outsider })).status).toBe(404);
    expect((await visit(pathname, { cookie: outsider })).text).toContain('for_all');
  });

  test('are the only ones for a token of this space', async () => {
    const { body } = await own.ask('POST', '/@acme/v1/me/tokens', {
      body: { name: 'ci', readOnly: true, expiresAt: null },
    });
    const { token } = body as { token: string };
    const { headers } = await signIn(token);
    expect(headers.location).toBe('/@acme/');
    const cookie = `${headers['set-cookie']?.[0]}`.split(';')[0] ?? '';
    const { text } = await visit('/@acme/', { cookie });
    expect(text).toContain('shared');
    expect(text).toContain('Signed in as <b>local</b> (ci, reads only, for acme alone)</span>');
    const outside = await visit('/', { cookie });
    expect(outside).toMatchObject({
      status: 404,
      text: expect.stringContaining('<a class="brand" href="/@acme/">'),
    });
    await grant(store.db, 'acme', 'local', 'read');
    const whole = await visit('/@acme/', { cookie: await signedIn(service, service.token) });
    expect(whole.text).toContain('Signed in as <b>local</b> (reads only)</span>');
    await revoke(store.db, 'acme', 'local');
    expect(isSignIn(await visit('/@acme/', { cookie }))).toBe(true);
  });
});
