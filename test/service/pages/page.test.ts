import { describe, expect, test } from 'vitest';
import { storeOf, temporaryService, type Val } from '../support.ts';

const nasty = `</code></pre><script>document.title = 'owned'</script><img src=x onerror="alert(1)">&amp;\u202e\u0000\u001b[31m`;
const service = await temporaryService();
const val = await service.createVal({ name: 'hello', code: 'first code', readme: '<b>read</b> me' });
await service.putVal('hello', nasty);

const visit = (path: string, headers: Record<string, string> = {}) =>
  fetch(new URL(path, service.baseUrl), { headers: { Accept: 'text/html', ...headers }, redirect: 'manual' });

async function firstVisit() {
  const { status, headers } = await visit(service.pageLink());
  const setCookie = `${headers.get('set-cookie')}`;
  const [cookie = ''] = setCookie.split(';');
  const path = headers.get('location')?.replace(/\?$/, '') ?? '';
  return { status, setCookie, cookie, path, page: await visit(path, { cookie }) };
}

const textIn = (html: string) => html.replace(/<[^>]*>/g, '').replace(/[ \n]+/g, ' ');
const shown = async (path: string, from = service) => (await from.ask('GET', path)).text;
const linkTo = async (from = service, query = '') =>
  (await from.get<{ url: string }>(`/v1/me/page-link${query}`)).url;

describe('access to the page', () => {
  test('is refused without the link, and the visitor learns how to get a link', async () => {
    const answer = await visit('/');
    expect(answer.status).toBe(401);
    expect(answer.headers.get('set-cookie')).toBeNull();
    const text = await answer.text();
    expect(text).toContain('vals serve');
    expect(text).not.toContain('hello');
    const problem = await service.ask('GET', '/', { token: null });
    expect(problem).toMatchObject({ status: 401, body: { status: 401 } });
  });

  test.each(['/?key=', '/?key=wrong', `/?key=${service.token}`])('is refused with %s', async (path) => {
    expect((await visit(path)).status).toBe(401);
  });

  test('the link works once, and then the cookie works', async () => {
    const link = service.pageLink();
    expect((await fetch(link, { method: 'HEAD', redirect: 'manual' })).status).toBe(401);
    const { status, setCookie, cookie, path, page } = await firstVisit();
    expect([status, page.status]).toEqual([303, 200]);
    expect(await page.text()).toMatch(/^(?!.*Sign out).*hello/s);
    // Browsers send a cookie to every port of a host, so the cookie needs a path that no other server knows.
    expect(path).toMatch(/^\/page\/[\w-]{43}$/);
    expect(setCookie).toMatch(new RegExp(`^vals=[\\w-]{43}; Path=${path}; HttpOnly; SameSite=Lax$`));
    for (const secret of [service.token, link.split('=')[1]])
      expect(`${setCookie} ${path}`).not.toContain(secret);
    expect((await visit(link)).status).toBe(401);
    expect(service.pageLink()).not.toBe(link);
    for (const [cookies, status] of [
      [`vals=x; other=1; ${cookie}`, 200],
      [`${cookie}x`, 401],
      ['vals=', 401],
      ['', 401],
    ] as const) {
      expect((await visit(path, { cookie: cookies })).status, cookies).toBe(status);
    }
  });

  test('a new token ends the open page and the links that were requested with the old token', async () => {
    const own = await temporaryService();
    const unused = await linkTo(own);
    const { headers } = await own.ask('GET', await linkTo(own), { token: null });
    const Cookie = `${headers['set-cookie']}`;
    const open = () => own.statusOf('GET', `${headers.location}`, { token: null, headers: { Cookie } });
    expect(await open()).toBe(200);
    await (await storeOf(own)).people.renewToken('local');
    expect(await open()).toBe(401);
    expect(await own.statusOf('GET', unused, { token: null })).toBe(401);
  });

  test('a link that was requested with the token works once, and the link in the terminal still works', async () => {
    const inTerminal = service.pageLink();
    const url = await linkTo(service, `?val=${val.id}`);
    expect(url).not.toContain(service.token);
    const first = await visit(url);
    expect(first.headers.get('location')).toMatch(new RegExp(`^/page/[\\w-]{43}\\?val=${val.id}$`));
    expect((await visit(url)).status).toBe(401);
    expect(service.pageLink()).toBe(inTerminal);
  });

  test('the cookie opens nothing else, and helps no other web page', async () => {
    const { cookie, path } = await firstVisit();
    for (const path of ['/', '/page/x', '/v1/me']) expect((await visit(path, { cookie })).status).toBe(401);
    expect((await visit(`/v1/vals/${val.id}`, { cookie })).status).toBe(404);
    expect((await visit(path, { cookie, origin: 'http://evil.example' })).status).toBe(403);
    const link = service.pageLink();
    expect((await visit(link, { origin: service.baseUrl })).status).toBe(403);
    expect(service.pageLink()).toBe(link);
  });

  test('the token opens the page of its owner', async () => {
    expect(await service.statusOf('GET', '/')).toBe(200);
    expect(await service.statusOf('GET', '/', { token: 'wrong' })).toBe(401);
  });
});

describe('the page shows', () => {
  test('the vals, each with its code and versions, as plain text', async () => {
    const list = await shown('/');
    expect(list).toContain(`<a href="?val=${val.id}">hello</a>`);
    expect(textIn(list)).toMatch(/hello private version 2 changed just now by local/);
    const text = await shown(`/?val=${val.id}`);
    expect(textIn(text)).toContain('&lt;/code&gt;&lt;/pre&gt;&lt;script&gt;');
    expect(textIn(text)).toContain('&amp;amp;\\u202e\\u0000\\u001b[31m');
    expect(text).toContain('&lt;b&gt;read&lt;/b&gt; me');
    expect(text).not.toMatch(/<(?:script>document|img|b>read)/);
    expect(text).toContain('<button data-copies="code" hidden>Copy</button>');
    expect(list + text).not.toContain(service.token);
  });

  test('the list page by page, newest first', async () => {
    const many = await temporaryService();
    for (let i = 0; i < 110; i++) await many.putVal(`v${i}`, 'c');
    const read = async (page: number) => {
      const text = await shown(`/?page=${page}`, many);
      const links = [...text.matchAll(/<a href="\?page=(\d+)">(\w+)</g)].map(
        ([, to, name]) => `${name} ${to}`,
      );
      return { links, names: [...text.matchAll(/>(v\d+)</g)].map(([, name]) => name) };
    };
    const numbered = (from: number, length: number) => Array.from({ length }, (_, i) => `v${from - i}`);
    expect(await read(1)).toEqual({ links: ['Older 2'], names: numbered(109, 50) });
    expect(await read(2)).toEqual({ links: ['Newer 1', 'Older 3'], names: numbered(59, 50) });
    expect(await read(3)).toEqual({ links: ['Newer 2'], names: numbered(9, 10) });
  });

  test('older versions, and what changed between any two versions', async () => {
    const { id } = await service.createVal({ name: 'compared', code: 'first()' });
    expect(await shown(`/?val=${id}`)).not.toContain('>Compare<');
    for (const code of ['second()', 'third()']) await service.putVal('compared', code);
    const text = await shown(`/?val=${id}`);
    expect(text).toContain(`version=3">3</a> <span class="badge">current</span>`);
    expect(text).toContain(`<a href="?val=${id}&amp;version=1">1</a>`);
    expect(text).toContain(`href="?val=${id}&amp;version=2&amp;from=1">changes</a>`);
    expect(text).toMatch(
      new RegExp(`name="val" value="${id}"><select name="from".*<option>1</option>.*>Compare<`),
    );
    const older = textIn(await shown(`/?val=${id}&version=1`));
    expect(older).toContain('first()');
    expect(older).toContain('This is version 1. See version 3');
    const compared = await shown(`/?val=${id}&from=1&version=3`);
    expect(compared).toContain('Changes from version 1 to 3');
    expect(compared).toContain('<span class="minus">-first()</span>');
    expect(compared).toContain('<span class="plus">+third()</span>');
    expect(await shown(`/?val=${val.id}&version=2&from=1`)).toContain('<span class="plus">+&lt;/code&gt;');
  });

  test.each([
    [`/?val=${val.id}&version=1&from=9`, 404],
    ['/?val=nothing', 404],
    [`/?val=${val.id}&version=9`, 404],
    [`/?val=${val.id}&run=absent`, 404],
    [`/?val=${val.id}&version=x`, 400],
    ['/?page=0', 400],
  ])('a page with the status of %s, which is %i', async (path, status) => {
    const answer = await service.ask('GET', path, { headers: { Accept: 'text/html' } });
    expect(answer).toMatchObject({ status, text: expect.stringContaining('<h1>') });
    expect(answer.headers['content-type']).toBe('text/html; charset=UTF-8');
    expect(answer.headers['content-security-policy']).toContain("default-src 'none'");
  });

  test('how to begin, if there are no vals', async () => {
    expect(await shown('/', await temporaryService())).toContain('vals push');
  });
});

describe('of the runs of a val, the page shows', async () => {
  const { id } = await service.createVal({ name: 'busy', code: 'c' });
  let hour = 10;
  const report = async (error: string | null, logs?: string) => {
    const [runStartAt, runEndAt] = ['00:00Z', '00:01.500Z'].map((rest) => `2024-05-01T${hour}:${rest}`);
    hour += 1;
    const body = { version: 1, runStartAt, runEndAt, error, logs };
    return ((await service.ask('POST', `/v1/vals/${id}/runs`, { body })).body as Val).id;
  };

  test('failures, errors as text, and in the list whether the last run failed', async () => {
    expect(await shown('/')).not.toContain('✗');
    for (const error of [null, '<i>boom</i>', 'first\n<u>second</u>']) await report(error);
    expect(textIn(await shown('/'))).toMatch(/busy.*✗ last run failed/);
    const text = await shown(`/?val=${id}`);
    expect(textIn(text)).toMatch(/✓ ok 2024-05-01, version 1, 1\.5 s/);
    expect(textIn(text).match(/✗ failed/g)).toHaveLength(2);
    expect(text).toContain('<p class="why">&lt;i&gt;boom&lt;/i&gt;</p>');
    expect(text).toContain('<summary>first</summary><pre>first\n&lt;u&gt;second&lt;/u&gt;</pre>');
    await report(null);
    expect(await shown('/')).not.toContain('✗');
  });

  test('the output, which is text', async () => {
    const run = await report(null, 'line 1\n<script>line 2</script>');
    const address = `?val=${id}&amp;run=${run}`;
    expect(await shown(`/?val=${id}`)).toContain(`<a class="end" href="${address}">output</a>`);
    const text = await shown(`/${address.replace('&amp;', '&')}`);
    expect(text).toContain('line 1\n&lt;script&gt;line 2&lt;/script&gt;</pre>');
    const silent = await shown(`/?val=${id}&run=${await report(null)}`);
    expect(silent).toContain('The service kept no output of this run.');
  });

  test('how many there are, if not all of them are shown', async () => {
    const { id } = await service.createVal({ name: 'crowded', code: 'c' });
    const times = { runStartAt: '2024-05-01T10:00:00Z', runEndAt: '2024-05-01T10:00:01Z' };
    const reportMany = (length: number) =>
      Promise.all(
        Array.from({ length }, () =>
          service.ask('POST', `/v1/vals/${id}/runs`, { body: { version: 1, ...times } }),
        ),
      );
    await reportMany(20);
    expect(await shown(`/?val=${id}`)).not.toContain('20 of');
    await reportMany(3);
    expect(textIn(await shown(`/?val=${id}`))).toContain(
      `20 of 23 runs. To see all runs: vals val runs ${id} --all`,
    );
  });
});

test('the page loads nothing, runs only its own script, and cannot be shown in a frame', async () => {
  const { page } = await firstVisit();
  const policy = page.headers.get('content-security-policy') ?? '';
  const hash = "'sha256-[\\w+/=]+'";
  const sources = `default-src 'none'; img-src data:; style-src ${hash}; script-src ${hash}; base-uri 'none'; `;
  expect(policy).toMatch(new RegExp(`^${sources}`));
  expect(policy).toContain("form-action 'self'; frame-ancestors 'none'");
  expect(page.headers.get('cache-control')).toBe('no-store');
  expect(page.headers.get('referrer-policy')).toBe('same-origin');
});

test('a diff that is too large is left to the command line', async () => {
  const lines = (seed: number) =>
    Array.from({ length: 19_000 }, (_, i) => `${(i * 7_919 * seed) % 8_191}`).join('\n');
  const { id } = await service.createVal({ name: 'long', code: lines(3) });
  await service.putVal('long', lines(5));
  expect(textIn(await shown(`/?val=${id}&version=2&from=1`))).toContain(
    `This diff is too large for this page. To see the diff: vals version diff ${id} 1 2`,
  );
});
