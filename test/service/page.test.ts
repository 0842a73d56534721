// The page for a browser: who may see it, what it shows, and what it can do, which is nothing.
import { execa } from 'execa';
import { beforeAll, describe, expect, test } from 'vitest';
import { describeWith } from '../support/installed.ts';
import { ask, createVal, temporaryFolder, temporaryService, type Val } from './support.ts';

type Service = Awaited<ReturnType<typeof temporaryService>>;

let service: Service;
let val: Val;
const nasty = `</code></pre><script>document.title = 'owned'</script><img src=x onerror="alert(1)">&amp;\u202e\u0000\u001b[31m`;
beforeAll(async () => {
  service = await temporaryService(undefined, undefined, () => false);
  val = await createVal(service, { name: 'hello', code: 'first code', readme: '<b>read</b> me' });
  await ask(service, 'POST', `/v1/vals/${val.id}/versions`, { body: { code: nasty } });
});

const visit = (path: string, headers: Record<string, string> = {}) =>
  fetch(new URL(path, service.baseUrl), { headers: { Accept: 'text/html', ...headers }, redirect: 'manual' });

/** The link's path, and the cookie that it gives. */
async function firstVisit() {
  const answer = await visit(service.pageLink());
  const cookie = answer.headers.get('set-cookie')?.split(';')[0] ?? '';
  return { answer, cookie, text: await answer.text() };
}

describe('where connections tell whose they are', () => {
  const onLinux = process.platform === 'linux';
  const isRoot = process.getuid?.() === 0;
  const openPage = (baseUrl: string, user?: number) =>
    execa(process.execPath, ['-e', `fetch('${baseUrl}/').then((answer) => console.log(answer.status))`], {
      uid: user,
    });

  test.runIf(onLinux)('the owner needs no link', async () => {
    const { baseUrl } = await temporaryService();
    expect((await openPage(baseUrl)).stdout).toBe('200');
  });

  test.runIf(onLinux && isRoot)('another user of the machine does', async () => {
    const { baseUrl } = await temporaryService();
    expect((await openPage(baseUrl, 65_534)).stdout).toBe('401');
  });
});

describe('who may see it elsewhere', () => {
  test('nobody without the link, and a browser learns how', async () => {
    const answer = await visit('/');
    expect(answer.status).toBe(401);
    const text = await answer.text();
    expect(text).toContain('vals serve');
    expect(text).not.toContain('hello');
    expect(answer.headers.get('set-cookie')).toBeNull();
  });

  test('other programs get a problem, as everywhere', async () => {
    expect(await ask(service, 'GET', '/', { token: null })).toMatchObject({
      status: 401,
      body: { status: 401 },
    });
  });

  test.each(['/?key=', '/?key=wrong', '/?token=TOKEN', '/?key=TOKEN'])('nobody with %s', async (path) => {
    expect((await visit(path.replace('TOKEN', service.token))).status).toBe(401);
  });

  test('whoever has the link, once, and then whoever has its cookie', async () => {
    const link = service.pageLink();
    const { answer, cookie, text } = await firstVisit();
    expect(answer.status).toBe(200);
    expect(text).toContain('hello');
    expect(answer.headers.get('set-cookie')).toMatch(
      /^vals-\d+=[\w-]{43}; Path=\/; HttpOnly; SameSite=Strict$/,
    );
    expect(cookie).not.toContain(service.token);
    expect(link).not.toContain(service.token);
    expect((await visit(link)).status).toBe(401);
    expect(service.pageLink()).not.toBe(link);
    expect((await visit('/', { cookie: `other=1; ${cookie}` })).status).toBe(200);
    expect((await visit('/', { cookie: `${cookie}x` })).status).toBe(401);
    expect((await visit('/', { cookie: 'vals-1=' })).status).toBe(401);
  });

  test('the cookie opens nothing else', async () => {
    const { cookie } = await firstVisit();
    expect((await visit('/v1/me', { cookie })).status).toBe(401);
    expect((await visit(`/v1/vals/${val.id}`, { cookie })).status).toBe(404);
  });

  test('no web page, whatever it has', async () => {
    const { cookie } = await firstVisit();
    expect((await visit('/', { cookie, origin: 'http://evil.example' })).status).toBe(403);
    const link = service.pageLink();
    expect((await visit(link, { origin: service.baseUrl })).status).toBe(403);
    expect(service.pageLink()).toBe(link);
  });

  test('the owner of the token', async () => {
    expect((await visit('/', { authorization: `Bearer ${service.token}` })).status).toBe(200);
    expect((await visit('/', { authorization: 'Bearer wrong' })).status).toBe(401);
  });
});

describe('what it shows', () => {
  const authorization = () => ({ authorization: `Bearer ${service.token}` });

  test('the vals with their code and versions, and text as text', async () => {
    const answer = await visit('/', authorization());
    const text = await answer.text();
    expect(answer.headers.get('content-type')).toMatch(/^text\/html; charset=utf-8/i);
    expect(text).toContain('hello <small>version 2, private');
    expect(text).toContain('&lt;/code&gt;&lt;/pre&gt;&lt;script&gt;');
    expect(text).toContain('&amp;amp;\\u202e\\u0000\\u001b[31m');
    expect(text).toContain('&lt;b&gt;read&lt;/b&gt; me');
    expect(text).not.toMatch(/<(?:script|img|b>read)/);
    expect(text).toContain(`<a href="/?val=${val.id}&amp;version=1">1</a>`);
    expect(text).not.toContain(service.token);
  });

  test('an older version behind its link', async () => {
    const text = await (await visit(`/?val=${val.id}&version=1`, authorization())).text();
    expect(text).toContain('first code');
    expect(text).not.toContain('document.title');
  });

  test.each([
    ['/?val=nothing', 404],
    [`/?val=ID&version=9`, 404],
    [`/?val=ID&version=x`, 400],
  ])('%s: %i', async (path, status) => {
    expect((await visit(path.replace('ID', val.id), authorization())).status).toBe(status);
  });

  test('how to begin, where there is no val', async () => {
    const empty = await temporaryService();
    expect(await (await fetch(empty.pageLink())).text()).toContain('vals push');
  });
});

test('it loads nothing, runs nothing and is framed by nobody', async () => {
  const { answer } = await firstVisit();
  const policy = answer.headers.get('content-security-policy') ?? '';
  expect(policy).toMatch(/^default-src 'none'; style-src 'sha256-[\w+/=]+'; /);
  for (const directive of ['base-uri', 'form-action', 'frame-ancestors']) {
    expect(policy).toContain(`${directive} 'none'`);
  }
  expect(answer.headers.get('cache-control')).toBe('no-store');
  expect(answer.headers.get('referrer-policy')).toBe('no-referrer');
});

describeWith('chromium', 'in Chromium', (chromium) => {
  /** The page as the browser understood it, and what it complained of. */
  async function open(link: string) {
    const flags = [
      '--headless',
      '--no-sandbox',
      '--disable-gpu',
      '--no-first-run',
      '--disable-background-networking',
      '--disable-component-update',
      '--disable-sync',
      '--disable-quic',
      '--disable-dev-shm-usage',
      '--enable-logging=stderr',
      '--v=0',
    ];
    const folder = temporaryFolder();
    const { stdout, stderr } = await execa(
      chromium,
      [...flags, `--user-data-dir=${folder}`, '--dump-dom', link],
      { env: { PATH: process.env.PATH, HOME: folder }, extendEnv: false, timeout: 50_000 },
    );
    return { dom: stdout, complaints: stderr.split('\n').filter((line) => line.includes('CONSOLE')) };
  }

  test('the page opens with the link: code is text, the style is allowed, nothing runs', async () => {
    const { dom, complaints } = await open(service.pageLink());
    expect(dom).toContain('<title>Vals</title>');
    expect(dom).toContain('&lt;script&gt;document.title');
    expect(dom.match(/<details>/g)).toHaveLength(1);
    expect(dom).not.toMatch(/<(?:script|img)/);
    expect(complaints.filter((line) => /style/.test(line))).toEqual([]);
  });

  test('without the link it says how to come in', async () => {
    const { dom } = await open(service.baseUrl);
    expect(dom).toContain('vals serve');
    expect(dom).not.toContain('hello');
  });
});
