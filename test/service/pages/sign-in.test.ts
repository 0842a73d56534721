import { createHash } from 'node:crypto';
import { describe, expect, test } from 'vitest';
import { sql } from '../../../src/service/database/sql.ts';
import { removeOwner } from '../../../src/service/store/owners.ts';
import { renewToken } from '../../../src/service/store/people.ts';
import { grant, revoke } from '../../../src/service/store/spaces.ts';
import { behindProxy, browse, newPlace, signedIn, storeOf, temporaryService } from '../support.ts';

const at = await newPlace();
const own = await temporaryService({ at });
const val = await own.createVal({ name: 'hello', code: 'my_code' });
const service = await temporaryService({ at, network: behindProxy });
const { db, ...store } = await storeOf({ at });

const visit = (path: string, headers: Record<string, string> = {}, to = service) =>
  browse(to, path, { headers });
const signIn = (token: string, headers: Record<string, string> = {}, path = '/sign-in') =>
  browse(service, path, { form: `token=${encodeURIComponent(token)}`, headers });
const isSignIn = ({ text }: { text: string }) => text.includes('<label for="token">');
const cookieOf = ({ headers }: Awaited<ReturnType<typeof visit>>) =>
  headers['set-cookie']?.[0]?.split(';')[0] ?? '';

describe('the form', () => {
  test('accepts the token, sets a cookie, and goes on to the requested page', async () => {
    const next = `/vals/${val.id}/versions/1?from=1`;
    const answer = await signIn(` ${service.token}\n`, {}, `/sign-in?next=${encodeURIComponent(next)}`);
    expect(answer).toMatchObject({ status: 303, headers: { location: next } });
    const form = /^__Host-vals=[\w-]{43}; Max-Age=43200; Path=\/; HttpOnly; SameSite=Lax; Secure$/;
    expect(answer.headers['set-cookie']).toEqual([expect.stringMatching(form)]);
    expect(cookieOf(answer)).not.toContain(service.token);
  });

  test.each(['https://evil.example/', '//evil.example', '/.//evil.example'])(
    'goes on to no other service (%s)',
    async (next) => {
      const { headers } = await signIn(service.token, {}, `/sign-in?next=${encodeURIComponent(next)}`);
      expect(new URL(`${headers.location}`, 'https://vals.example').host).toBe('vals.example');
    },
  );

  test('on loopback sets a cookie of this port', async () => {
    const headers = { Host: `localhost:${own.port}`, Origin: `http://localhost:${own.port}` };
    const answer = await browse(own, '/sign-in', { form: `token=${own.token}`, headers });
    expect(answer.headers['set-cookie']?.[0]).toMatch(
      new RegExp(`^vals-${own.port}=[^;]+; Max-Age=43200; Path=/; HttpOnly; SameSite=Lax$`),
    );
  });

  test.each<[string, string, Record<string, string>, number, string]>([
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

test('the form takes 4 KiB: a token with some room is read, and a larger one is refused before it is', async () => {
  const fill = (size: number) =>
    browse(service, '/sign-in', { form: `token=${service.token}`.padEnd(size, '+') });
  expect((await fill(4_096)).status).toBe(303);
  for (const size of [4_097, 2_097_000]) expect((await fill(size)).status).toBe(413);
  const address = `http://127.0.0.1:${own.port}`;
  const chunked = await fetch(`${address}/sign-in`, {
    method: 'POST',
    headers: { Origin: address },
    body: new Blob(['+'.repeat(100_000)]).stream(),
    duplex: 'half',
  });
  expect(chunked.status).toBe(413);
});

describe('the link of `vals open`', () => {
  const linkOf = async ({ ask }: Pick<typeof own, 'ask'>, query = '') => {
    const { body } = await ask('GET', `/v1/me/page-link${query}`);
    const { pathname, search } = new URL((body as { url: string }).url);
    return pathname + search;
  };

  test('signs a browser in once, at every process with the same data', async () => {
    const link = await linkOf(own, `?val=${val.id}`);
    const head = await service.ask('HEAD', link, { token: null });
    expect(head.headers['set-cookie']).toBeUndefined();
    const first = await visit(link);
    expect(first).toMatchObject({ status: 303, headers: { location: `/vals/${val.id}` } });
    const cookie = cookieOf(first);
    expect((await visit(`/vals/${val.id}`, { cookie })).text).toContain('my_code');
    const again = await visit(link);
    expect([isSignIn(again), again.text.includes('This link was used before')]).toEqual([true, true]);
    expect((await visit(link, { cookie })).headers.location).toBe(`/vals/${val.id}`);
  });

  test('ends with the token that asked for it', async () => {
    const link = await linkOf(await own.addPerson('ida'));
    await renewToken({ ...store, db }, 'ida');
    expect(isSignIn(await visit(link))).toBe(true);
  });
});

describe('the cookie', async () => {
  const cookie = await signedIn(service, service.token);

  test('opens the pages, each of which shows who is signed in and a way out', async () => {
    const { status, text } = await visit('/', { cookie: `a=b; ${cookie.replace('=', '1=')}x; ${cookie}` });
    expect({ status, hasVal: text.includes('hello') }).toEqual({ status: 200, hasVal: true });
    expect((await visit(`/vals/${val.id}/raw`, { cookie })).text).toBe('my_code');
    for (const [path, status] of [
      ['/nothing', 404],
      [`/vals/${val.id}/versions/1?from=9`, 404],
      ['/?after=x', 400],
      ['/sign-out', 405],
      ['/v1/me', 401],
    ] as const) {
      const headers = { 'content-security-policy': expect.stringContaining("default-src 'none'") };
      const text = expect.stringMatching(/<a class="brand" href="\/">.*Signed in as <b>local.*\/sign-out/s);
      expect(await visit(path, { cookie })).toMatchObject({ status, headers, text });
    }
  });

  test('is not accepted by the API', async () => {
    const ask = { headers: { cookie }, token: null };
    const body = { name: 'x', code: 'x' };
    expect(await service.statusOf('GET', `/v1/vals/${val.id}`, ask)).toBe(404);
    expect(await service.statusOf('POST', '/v1/vals', { ...ask, body })).toBe(401);
  });

  test('shows what the person may read, and ends with the token and the person', async () => {
    const ada = await own.addPerson('ada');
    const cookie = await signedIn(service, ada.token);
    expect((await visit('/', { cookie })).text).toContain('No vals yet');
    expect((await visit(`/vals/${val.id}`, { cookie })).status).toBe(404);
    const renewed = await renewToken({ ...store, db }, 'ada');
    expect(isSignIn(await visit('/', { cookie }))).toBe(true);
    const next = await signedIn(service, renewed?.token ?? '');
    expect(isSignIn(await visit('/', { cookie: next }))).toBe(false);
    await removeOwner(db, 'ada', 'person', { withVals: false });
    expect(isSignIn(await visit('/', { cookie: next }))).toBe(true);
  });

  test('is refused after twelve hours', async () => {
    const before = Date.now();
    const cookie = await signedIn(service, service.token);
    const digest = createHash('sha256')
      .update(`${cookie.split('=')[1]}`)
      .digest('hex');
    const [session] = await db.query<{ endsAt: string }>(
      sql`SELECT ends_at AS "endsAt" FROM sessions WHERE digest = ${digest}`,
    );
    const begun = Date.parse(`${session?.endsAt}`) - 12 * 3_600_000;
    expect([begun >= before, begun <= Date.now()]).toEqual([true, true]);
    const now = new Date().toISOString();
    await db.transaction(({ query }) =>
      query(sql`UPDATE sessions SET ends_at = ${now} WHERE digest = ${digest}`),
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
  await own.addSpace('acme', { local: 'write' });
  const post = async (path: string, body: object) =>
    (await own.ask('POST', `/@acme/v1/${path}`, { body })).body as { id: string; url: string; token: string };
  await post('vals', { name: 'shared', code: 'of_acme' });

  test('have its public vals for everybody', async () => {
    const { id, url } = await post('vals', { name: 'open', code: 'for_all', privacy: 'public' });
    const { pathname } = new URL(url);
    expect(pathname).toBe(`/@acme/vals/${id}`);
    expect((await visit(pathname)).text).toContain('for_all');
    const cookie = await signedIn(service, (await own.addPerson('eve')).token);
    expect((await visit('/@acme/', { cookie })).status).toBe(404);
    expect((await visit(pathname, { cookie })).text).toContain('for_all');
  });

  test('are named for a member, and the only ones for a token of this space', async () => {
    const { token } = await post('me/tokens', { name: 'ci', access: 'read', expiresAt: null });
    const answer = await signIn(token);
    expect(answer.headers.location).toBe('/@acme/');
    const cookie = cookieOf(answer);
    const { text } = await visit('/@acme/', { cookie });
    expect(text).toContain('shared');
    expect(text).toContain('Signed in as <b>local</b> (ci, reads only, for acme alone)</span>');
    const { token: deploying } = await post('me/tokens', { name: 'cd', access: 'deploy' });
    const shown = await visit('/@acme/', { cookie: await signedIn(service, deploying) });
    expect(shown.text).toContain('(cd, deploys only, for acme alone)</span>');
    const home = expect.stringContaining('<a class="brand" href="/@acme/">');
    expect(await visit('/', { cookie })).toMatchObject({ status: 404, text: home });
    await grant(db, 'acme', 'local', 'read');
    const whole = await visit('/@acme/', { cookie: await signedIn(service, service.token) });
    expect(whole.text).toContain('Signed in as <b>local</b> (reads only)</span>');
    expect(whole.text).toMatch(/<a href="\/">local<\/a> <a href="\/@acme\/" aria-current="true">acme<\/a>/);
    await revoke(db, 'acme', 'local');
    expect(isSignIn(await visit('/@acme/', { cookie }))).toBe(true);
  });
});
