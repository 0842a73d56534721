import { beforeAll, describe, expect, test } from 'vitest';
import {
  ask,
  askText,
  createVal,
  putVal,
  statusOf,
  storeOf,
  type TemporaryService,
  temporaryService,
  type Val,
} from '../support.ts';

let service: TemporaryService;
let val: Val;
const nasty = `</code></pre><script>document.title = 'owned'</script><img src=x onerror="alert(1)">&amp;\u202e\u0000\u001b[31m`;
beforeAll(async () => {
  service = await temporaryService();
  val = await createVal(service, { name: 'hello', code: 'first code', readme: '<b>read</b> me' });
  await ask(service, 'POST', `/v1/vals/${val.id}/versions`, { body: { code: nasty } });
});

const visit = (path: string, headers: Record<string, string> = {}) =>
  fetch(new URL(path, service.baseUrl), { headers: { Accept: 'text/html', ...headers }, redirect: 'manual' });

async function firstVisit() {
  const { status, headers } = await visit(service.pageLink());
  const cookie = headers.get('set-cookie')?.split(';')[0] ?? '';
  const path = headers.get('location')?.replace(/\?$/, '') ?? '';
  return { status, cookie, path, setCookie: headers.get('set-cookie'), page: await visit(path, { cookie }) };
}

const textIn = (html: string) => html.replace(/<[^>]*>/g, '').replace(/[ \n]+/g, ' ');

describe('access to the page', () => {
  test('is refused without the link, and a browser shows how to get a link', async () => {
    const answer = await visit('/');
    expect(answer.status).toBe(401);
    const text = await answer.text();
    expect(text).toContain('vals serve');
    expect(text).not.toContain('hello');
    expect(answer.headers.get('set-cookie')).toBeNull();
  });

  test('is refused to other programs without the link, with problem details', async () => {
    const answer = await ask(service, 'GET', '/', { token: null });
    expect(answer).toMatchObject({ status: 401, body: { status: 401 } });
  });

  test.each(['/?key=', '/?key=wrong', '/?token=TOKEN', '/?key=TOKEN'])('is refused with %s', async (path) => {
    expect((await visit(path.replace('TOKEN', service.token))).status).toBe(401);
  });

  test('the link works once, and then the cookie works', async () => {
    const link = service.pageLink();
    expect((await fetch(link, { method: 'HEAD', redirect: 'manual' })).status).toBe(401);
    const { status, setCookie, cookie, path, page } = await firstVisit();
    expect(status).toBe(303);
    expect(page.status).toBe(200);
    expect(await page.text()).toContain('hello');
    expect(path).toMatch(/^\/page\/[\w-]{43}$/);
    expect(setCookie).toMatch(/^vals=[\w-]{43}; Path=\/page\/[\w-]{43}; HttpOnly; SameSite=Lax$/);
    // Browsers send a cookie to every port of a host, so the cookie needs a path that no other server knows.
    expect(setCookie).toContain(`Path=${path};`);
    for (const secret of [service.token, link.split('=')[1]])
      expect(`${setCookie} ${path}`).not.toContain(secret);
    expect((await visit(link)).status).toBe(401);
    expect(service.pageLink()).not.toBe(link);
    expect((await visit(path, { cookie: `vals=x; other=1; ${cookie}` })).status).toBe(200);
    expect((await visit(path, { cookie: `${cookie}x` })).status).toBe(401);
    expect((await visit(path, { cookie: 'vals=' })).status).toBe(401);
    expect((await visit(path)).status).toBe(401);
  });

  test('a new token ends the open page and the links that were requested with the old token', async () => {
    const own = await temporaryService();
    const link = async () => {
      const { body } = await ask(own, 'GET', '/v1/me/page-link');
      return (body as { url: string }).url.slice(own.baseUrl.length);
    };
    const unused = await link();
    const { headers } = await askText(own, 'GET', await link(), { token: null });
    const Cookie = `${headers['set-cookie']}`;
    const open = () => statusOf(own, 'GET', `${headers.location}`, { token: null, headers: { Cookie } });
    expect(await open()).toBe(200);
    await (await storeOf(own)).users.renewToken('local');
    expect(await open()).toBe(401);
    expect(await statusOf(own, 'GET', unused, { token: null })).toBe(401);
  });

  test('a link that was requested with the token works once, and the link in the terminal still works', async () => {
    const shown = service.pageLink();
    const { status, body } = await ask(service, 'GET', `/v1/me/page-link?val=${val.id}`);
    expect(status).toBe(200);
    const { url } = body as { url: string };
    expect(url).not.toContain(service.token);
    const first = await visit(url);
    expect(first.headers.get('location')).toMatch(new RegExp(`^/page/[\\w-]{43}\\?val=${val.id}$`));
    expect((await visit(url)).status).toBe(401);
    expect(service.pageLink()).toBe(shown);
    expect((await ask(service, 'GET', '/v1/me/page-link', { token: null })).status).toBe(401);
  });

  test('the cookie opens nothing else', async () => {
    const { cookie } = await firstVisit();
    for (const path of ['/', '/page/x', '/v1/me']) expect((await visit(path, { cookie })).status).toBe(401);
    expect((await visit(`/v1/vals/${val.id}`, { cookie })).status).toBe(404);
  });

  test('a request from a web page is refused, even with the cookie or the link', async () => {
    const { cookie, path } = await firstVisit();
    expect((await visit(path, { cookie, origin: 'http://evil.example' })).status).toBe(403);
    const link = service.pageLink();
    expect((await visit(link, { origin: service.baseUrl })).status).toBe(403);
    expect(service.pageLink()).toBe(link);
  });

  test('the token opens the page of its owner', async () => {
    expect(await statusOf(service, 'GET', '/')).toBe(200);
    expect(await statusOf(service, 'GET', '/', { token: 'wrong' })).toBe(401);
  });
});

describe('the page shows', () => {
  const shown = async (path: string) => (await askText(service, 'GET', path)).text;

  test('the vals, each with its code and versions, as plain text', async () => {
    const { headers, text: list } = await askText(service, 'GET', '/');
    expect(headers['content-type']).toMatch(/^text\/html; charset=utf-8/i);
    expect(list).toContain(`<a href="?val=${val.id}">hello</a>`);
    expect(textIn(list)).toMatch(/hello private version 2 changed just now by local/);
    const text = await shown(`/?val=${val.id}`);
    expect(textIn(text)).toContain('&lt;/code&gt;&lt;/pre&gt;&lt;script&gt;');
    expect(textIn(text)).toContain('&amp;amp;\\u202e\\u0000\\u001b[31m');
    expect(text).toContain('&lt;b&gt;read&lt;/b&gt; me');
    expect(text).not.toMatch(/<(?:script>document|img|b>read)/);
    expect(text).toContain(`<a href="?val=${val.id}&amp;version=1">1</a>`);
    expect(list + text).not.toContain(service.token);
  });

  test('the list page by page, newest first', async () => {
    const { baseUrl, token } = await temporaryService();
    for (let i = 0; i < 150; i++) await putVal({ baseUrl, token }, `v${i}`, 'c');
    const read = async (page: number) => {
      const { text } = await askText({ baseUrl, token }, 'GET', `/?page=${page}`);
      const links = [...text.matchAll(/<a href="\?page=(\d+)">(\w+)</g)].map(
        ([, to, name]) => `${name} ${to}`,
      );
      return { links, names: [...text.matchAll(/>(v\d+)</g)].map(([, name]) => name) };
    };
    const numbered = (from: number) => Array.from({ length: 50 }, (_, i) => `v${from - i}`);
    expect(await read(1)).toEqual({ links: ['Older 2'], names: numbered(149) });
    expect(await read(2)).toEqual({ links: ['Newer 1', 'Older 3'], names: numbered(99) });
    expect(await read(3)).toEqual({ links: ['Newer 2'], names: numbered(49) });
    expect((await read(4)).names).toEqual([]);
  });

  test('an older version behind its link', async () => {
    const text = await shown(`/?val=${val.id}&version=1`);
    expect(text).toContain('first code');
    expect(text).not.toContain('document.title');
  });

  test('what changed between two versions', async () => {
    const text = await shown(`/?val=${val.id}&version=2&from=1`);
    expect(text).toContain('Changes from version 1 to 2');
    expect(text).toContain('<span class="minus">-first code</span>');
    expect(text).toContain('<span class="plus">+&lt;/code&gt;');
    expect(await shown(`/?val=${val.id}`)).toContain(
      `href="?val=${val.id}&amp;version=2&amp;from=1">changes</a>`,
    );
  });

  test('runs with failures marked, and errors as text', async () => {
    const run = { version: 1, runStartAt: '2024-05-01T10:00:00Z', runEndAt: '2024-05-01T10:00:01.500Z' };
    for (const error of [null, '<i>boom</i>', 'first\n<u>second</u>']) {
      await ask(service, 'POST', `/v1/vals/${val.id}/runs`, { body: { ...run, error } });
    }
    const text = await shown(`/?val=${val.id}`);
    expect(textIn(text)).toMatch(/✓ ok 2024-05-01, version 1, 1\.5 s/);
    expect(textIn(text).match(/✗ failed/g)).toHaveLength(2);
    expect(text).toContain('<p class="why">&lt;i&gt;boom&lt;/i&gt;</p>');
    expect(text).toContain('<summary>first</summary><pre>first\n&lt;u&gt;second&lt;/u&gt;</pre>');
  });

  test.each([
    [`/?val=ID&version=1&from=9`, 404],
    ['/?val=nothing', 404],
    [`/?val=ID&version=9`, 404],
    [`/?val=ID&version=x`, 400],
    ['/?page=0', 400],
  ])('a page with the status of %s, which is %i', async (path, status) => {
    const headers = { Accept: 'text/html' };
    const answer = await askText(service, 'GET', path.replace('ID', val.id), { headers });
    expect(answer).toMatchObject({ status, text: expect.stringContaining('<h1>') });
    expect(answer.headers['content-type']).toBe('text/html; charset=UTF-8');
    expect(answer.headers['content-security-policy']).toContain("default-src 'none'");
  });

  test('how many runs there are, if not all of them are shown', async () => {
    const { id } = await createVal(service, { name: 'busy', code: 'c' });
    const times = { runStartAt: '2024-05-01T10:00:00Z', runEndAt: '2024-05-01T10:00:01Z' };
    const report = () =>
      ask(service, 'POST', `/v1/vals/${id}/runs`, { body: { version: 1, error: null, ...times } });
    const text = async () => textIn(await shown(`/?val=${id}`));
    await Promise.all(Array.from({ length: 20 }, report));
    expect(await text()).not.toContain('20 of');
    await Promise.all(Array.from({ length: 3 }, report));
    expect(await text()).toContain(`20 of 23 runs. To see all runs: vals val runs ${id} --all`);
  });

  test('how to begin, if there are no vals', async () => {
    const empty = await temporaryService();
    expect((await askText(empty, 'GET', '/')).text).toContain('vals push');
  });
});

describe('what happened to a val', () => {
  let other: TemporaryService;
  let shownVal: Val;
  const page = async (path: string) => (await askText(other, 'GET', path)).text;
  const report = async (error: string | null, logs?: string) => {
    const at = new Date().toISOString();
    const body = { version: 1, runStartAt: at, runEndAt: at, error, logs };
    const answer = await ask(other, 'POST', `/v1/vals/${shownVal.id}/runs`, { body });
    return (answer.body as { id: string }).id;
  };
  beforeAll(async () => {
    other = await temporaryService();
    shownVal = await createVal(other, { name: 'shown', code: 'first()' });
  });

  test('the list marks a val whose last run failed', async () => {
    expect(await page('/')).not.toContain('✗');
    await report('boom');
    expect(textIn(await page('/'))).toMatch(/shown.*✗ last run failed/);
    await report(null);
    expect(await page('/')).not.toContain('✗');
  });

  test('a run links to its output, which is text', async () => {
    const id = await report(null, 'line 1\n<script>line 2</script>');
    const address = `?val=${shownVal.id}&amp;run=${id}`;
    expect(await page(`/?val=${shownVal.id}`)).toContain(`<a class="end" href="${address}">output</a>`);
    const text = await page(`/${address.replace('&amp;', '&')}`);
    expect(text).toContain('line 1\n&lt;script&gt;line 2&lt;/script&gt;</pre>');
    const silent = await report(null);
    expect(await page(`/?val=${shownVal.id}&run=${silent}`)).toContain(
      'The service kept no output of this run.',
    );
    expect((await askText(other, 'GET', `/?val=${shownVal.id}&run=absent`)).status).toBe(404);
  });

  test('any two versions can be compared, and code can be copied', async () => {
    expect(await page(`/?val=${shownVal.id}`)).not.toContain('>Compare<');
    for (const code of ['second()', 'third()']) await putVal(other, 'shown', code);
    const text = await page(`/?val=${shownVal.id}`);
    expect(text).toContain(`<input type="hidden" name="val" value="${shownVal.id}">`);
    expect(text).toContain('<select name="from"');
    expect(text).toContain('<option>1</option>');
    expect(text).toContain('<button data-copies="code" hidden>Copy</button>');
    const compared = textIn(await page(`/?val=${shownVal.id}&from=1&version=3`));
    expect(compared).toContain('Changes from version 1 to 3');
    expect(compared).toMatch(/-first\(\).*\+third\(\)/s);
  });
});

test('the page loads nothing, runs only its own script, and cannot be shown in a frame', async () => {
  const { page: answer } = await firstVisit();
  const policy = answer.headers.get('content-security-policy') ?? '';
  const hash = "'sha256-[\\w+/=]+'";
  expect(policy).toMatch(
    new RegExp(
      `^default-src 'none'; img-src data:; style-src ${hash}; script-src ${hash}; base-uri 'none'; `,
    ),
  );
  expect(policy).toContain("form-action 'self'; frame-ancestors 'none'");
  expect(answer.headers.get('cache-control')).toBe('no-store');
  expect(answer.headers.get('referrer-policy')).toBe('same-origin');
});

test('a diff that is too large is left to the command line', async () => {
  const lines = (seed: number) =>
    Array.from({ length: 19_000 }, (_, i) => `${(i * 7_919 * seed) % 8_191}`).join('\n');
  const { id } = await createVal(service, { name: 'long', code: lines(3) });
  await ask(service, 'POST', `/v1/vals/${id}/versions`, { body: { code: lines(5) } });
  const { text } = await askText(service, 'GET', `/?val=${id}&version=2&from=1`);
  expect(textIn(text)).toContain(
    `This diff is too large for this page. To see the diff: vals version diff ${id} 1 2`,
  );
});
