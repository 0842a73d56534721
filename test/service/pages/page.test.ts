import { describe, expect, test } from 'vitest';
import { embeddedService } from '../support/embedded-service.ts';
import { type Client, clientOf, temporaryService, type Val } from '../support.ts';

const nasty = `</code></pre><script>document.title = 'owned'</script><img src=x onerror="alert(1)">&amp;\u202e\u0000\u001b[31m`;
const service = await temporaryService();
const val = await service.createVal({ name: 'hello', code: 'first code', readme: '<b>read</b> *me*' });
await service.putVal('hello', nasty);

const textIn = (html: string) => html.replace(/<[^>]*>/g, '').replace(/[ \n]+/g, ' ');
const shown = async (path: string, from: Pick<Client, 'ask'> = service) => (await from.ask('GET', path)).text;
const linksIn = (html: string) =>
  [...html.matchAll(/ href="([^"]*)"/g)].map(([, link = '']) => link.replaceAll('&amp;', '&'));
const valsIn = (html: string) => [...html.matchAll(/class="name" [^>]*>(\w+)</g)].map(([, name]) => name);

/** The links of a page and of the page after it. */
async function linksOfTwoPages(path: string, next: string, from = service): Promise<string[]> {
  const first = linksIn(await shown(path, from));
  const link = first.find((each) => each.includes(next)) ?? '';
  return [...first, ...linksIn(await shown(link.replace(/#.*/, ''), from))];
}

async function report(id: string, minute: number, more: object = {}, to = service) {
  const at = `2024-05-01T10:${String(minute).padStart(2, '0')}`;
  const body = { version: 1, runStartAt: `${at}:00Z`, runEndAt: `${at}:01.500Z`, error: null, ...more };
  return ((await to.ask('POST', `/v1/vals/${id}/runs`, { body })).body as Val).id;
}

test('the first page lists the vals, newest change first, with the result of the last run, page by page', async () => {
  const own = await temporaryService();
  expect(await shown('/', own)).toContain('vals push');
  const ids: Record<string, string> = {};
  for (const name of ['a', 'b', 'c']) ids[name] = (await own.createVal({ name, code: '1' })).id;
  await own.putVal('a', '2');
  await report(`${ids.b}`, 0, { error: 'x' }, own);
  await report(`${ids.c}`, 0, {}, own);
  expect(valsIn(await shown('/', own))).toEqual(['a', 'c', 'b']);
  const text = textIn(await shown('/', own));
  expect(text).toMatch(
    /a never run private version 2 changed \S+ \S+ UTC \((?:just now|[^)]* ago)\) by local/,
  );
  expect(text).toMatch(/c last run ✓ ok.*b last run ✗ failed/);
  for (let i = 0; i < 19; i++) await own.putVal(`v${i}`, 'c');
  const links = await linksOfTwoPages('/', '/?after=', own);
  expect(links.filter((link) => link.startsWith('/vals/')).slice(-3)).toEqual(
    ['a', 'c', 'b'].map((name) => `/vals/${ids[name]}`),
  );
});

describe('the page of a val', () => {
  test('with long code is made between other requests, which wait for one such page at most', async () => {
    const apart = clientOf(await embeddedService());
    const { id } = await apart.createVal({ name: 'slow', code: '=/['.repeat(85_000) });
    const slow = Array<string>(6).fill(`/vals/${id}`);
    const answered: string[] = [];
    const ask = async (path: string) => {
      expect(await apart.statusOf('GET', path)).toBe(200);
      answered.push(path);
    };
    // The first time opens the connections, so that afterwards all requests arrive together.
    for (const _time of [1, 2]) {
      answered.length = 0;
      await Promise.all([...slow, '/healthz'].map(ask));
    }
    expect(answered.at(-1)).not.toBe('/healthz');
  });

  test('shows code, readme and versions as text, and no token', async () => {
    const text = await shown(`/vals/${val.id}`);
    expect(textIn(text)).toContain('&lt;/code&gt;&lt;/pre&gt;&lt;script&gt;');
    expect(textIn(text)).toContain('&amp;amp;\\u202e\\u0000\\u001b[31m');
    expect(text).toContain('&lt;b&gt;read&lt;/b&gt; <em>me</em>');
    expect(text).not.toMatch(/<(?:script>document|img|b>read)/);
    expect(text).not.toContain(service.token);
    expect(await service.ask('GET', `/vals/${val.id}/raw`)).toMatchObject({
      text: nasty,
      headers: { 'content-type': 'text/plain; charset=UTF-8', 'x-content-type-options': 'nosniff' },
    });
    expect(await shown(`/vals/${val.id}/versions/1/raw`)).toBe('first code');
  });

  test('names who made the version, and not as who changed the name, the readme or the privacy', async () => {
    const kim = await service.addPerson('kim');
    await service.addSpace('crew', { local: 'write', kim: 'write' });
    const made = await service.ask('POST', '/@crew/v1/vals', { body: { name: 'shared', code: '1' } });
    const { id } = made.body as Val;
    const changed = async (path: string) =>
      textIn(await shown(path)).match(
        /version 1 changed \S+ \S+ UTC \((?:just now|[^)]* ago)\)( by \w+)?/,
      )?.[1];
    expect(await changed(`/@crew/vals/${id}`)).toBe(' by local');
    expect(await changed('/@crew/')).toBe(' by local');
    await kim.ask('PUT', `/@crew/v1/vals/${id}`, { body: { readme: 'new' } });
    for (const path of [`/@crew/vals/${id}`, '/@crew/']) {
      expect(textIn(await shown(path))).toMatch(/version 1 changed/);
      expect(await changed(path)).toBeUndefined();
    }
    expect(textIn(await shown(`/@crew/vals/${id}`))).toMatch(/Version 1 current .* by local/);
  });

  test('has all versions, page by page', async () => {
    for (let i = 0; i < 21; i++) await service.putVal('often', `${i}`);
    const { id } = await service.get('/v1/alias/local/often');
    const links = await linksOfTwoPages(`/vals/${id}`, '?versions=');
    const versions = links.flatMap((link) => /\/versions\/(\d+)$/.exec(link)?.[1] ?? []);
    expect(versions.map(Number)).toEqual(Array.from({ length: 21 }, (_, i) => 21 - i));
  });

  test('links the imports of other vals that the visitor may read', async () => {
    const other = await service.createVal({ name: 'other', code: 'export const a = 1;' });
    const dora = await service.addPerson('dora');
    const hers = await dora.createVal({ name: 'other', code: '1', privacy: 'public' });
    const code = [
      `import '${service.baseUrl}/v1/vals/${hers.id}/module';`,
      `import { a } from '${service.baseUrl}/v1/vals/${other.id}/module';`,
      `import 'https://x.example/v1/vals/${other.id}/module';`,
    ];
    const { id } = await service.createVal({ name: 'user', code: code.join('\n'), privacy: 'public' });
    const inCode = (html: string) => [...html.matchAll(/<a href="([^"]*)">&#39;/g)].map(([, link]) => link);
    expect(inCode(await shown(`/vals/${id}`))).toEqual([`/vals/${hers.id}`, `/vals/${other.id}`]);
    const { text } = await service.ask('GET', `/vals/${id}`, { token: null });
    expect(inCode(text)).toEqual([`/vals/${hers.id}`]);
  });
});

test('the page of a version shows what it changed, or how it differs from any other', async () => {
  const { id } = await service.createVal({ name: 'compared', code: 'first()' });
  for (const code of ['second()', 'third()']) await service.putVal('compared', code);
  const third = await shown(`/vals/${id}/versions/3`);
  expect(third).toContain('Changes since version 2');
  expect(third).toContain('<span class="minus">-second()</span>');
  expect(third).toContain('<span class="plus">+third()</span>');
  const wide = await shown(`/vals/${id}/versions/3?from=1`);
  expect(wide).toContain('Changes from version 1 to 3');
  expect(wide).toContain('<span class="minus">-first()</span>');
  expect(await shown(`/vals/${id}/versions/1`)).toContain('This is the first version.');
  await service.ask('DELETE', `/v1/vals/${id}/versions/2`);
  expect(await shown(`/vals/${id}/versions/3`)).toContain('Changes since version 1');
});

test('a diff that is too large is left to the command line', async () => {
  const lines = (seed: number) =>
    Array.from({ length: 9_000 }, (_, i) => `${(i * 7_919 * seed) % 8_191}`).join('\n');
  const { id } = await service.createVal({ name: 'long', code: lines(3) });
  await service.putVal('long', lines(5));
  expect(textIn(await shown(`/vals/${id}/versions/2`))).toContain(`To see it: vals version diff ${id} 1 2`);
});

describe('the pages of runs', async () => {
  const { id } = await service.createVal({ name: 'busy', code: 'c' });
  const ok = await report(id, 0, { logs: 'line 1\n<script>line 2</script>' });
  const failed = await report(id, 30, { error: 'first\n<u>second</u>' });

  test('list all runs, or the failed ones, of one val or of all, below the bars of their summary', async () => {
    const html = await shown('/runs');
    const text = textIn(html);
    expect(text).toMatch(/2 runs, 1 failed/);
    expect(text).toMatch(/busy12✗ 150%1\.5 s1\.5 s/);
    expect(html).toMatch(/<svg class="bars wide" .*<rect class="broke"/s);
    expect(text).toMatch(
      /✗ failed run busy version 1 2024-05-01 10:30 UTC \(\d+ years? ago\) 1\.5 s by local ?first/,
    );
    expect(text).toMatch(/✓ ok run busy/);
    for (const path of ['/runs?error=true', `/runs?error=true&val=${id}`])
      expect(textIn(await shown(path))).not.toContain('✓ ok run');
  });

  test('show one run with its result, times, error and output', async () => {
    const bad = await shown(`/runs/${failed}`);
    expect(textIn(bad)).toMatch(
      /Result✗ failedValbusyVersion1Started2024-05-01 10:30:00 UTC .*Ended2024-05-01 10:30:01 UTC.*Took1\.5 sReported bylocal/,
    );
    expect(bad).toContain('first\n&lt;u&gt;second&lt;/u&gt;</pre>');
    expect(bad).toContain('The service kept no output of this run.');
    expect(await shown(`/runs/${ok}`)).toContain('line 1\n&lt;script&gt;line 2&lt;/script&gt;</pre>');
  });

  test('of the last hour, day or week are listed, and say if there is none', async () => {
    expect(textIn(await shown('/runs?last=week'))).toContain('There is no run in the last week.');
    const { id } = await service.createVal({ name: 'recent', code: 'c' });
    await report(id, 0, { runStartAt: new Date().toISOString(), runEndAt: null });
    expect(textIn(await shown('/runs?last=hour'))).toMatch(/1 run, 0 failed.*… running run recent/s);
    expect(textIn(await shown('/'))).toContain('recent last run … running');
  });

  test('are paged', async () => {
    const { id } = await service.createVal({ name: 'crowded', code: 'c' });
    await Promise.all(Array.from({ length: 21 }, (_, minute) => report(id, minute)));
    const links = await linksOfTwoPages(`/runs?val=${id}`, 'after=');
    expect(new Set(links.filter((link) => link.startsWith('/runs/'))).size).toBe(21);
    expect(textIn(await shown(`/vals/${id}`)).match(/✓ ok run/g)).toHaveLength(10);
  });
});

test('the search is that of the API', async () => {
  const eve = await service.addPerson('eve');
  await eve.createVal({ name: 'eve_public', code: 'needle', privacy: 'public' });
  await service.createVal({ name: 'mine', code: 'needle' });
  const text = await shown('/search?q=needle');
  expect(valsIn(text)).toEqual(['mine', 'eve_public']);
  expect(textIn(text)).toMatch(/mine never run private .* eve_public of eve public/);
  await service.addSpace('tools', { local: 'write' });
  await service.ask('PUT', '/@tools/v1/vals', { body: { name: 'hammer', code: 'needle' } });
  await service.addSpace('garden', { local: 'write' });
  const inGarden = await shown('/@garden/search?q=needle');
  expect(textIn(inGarden)).toMatch(/hammer of tools private .* mine of local/);
  const links = [...inGarden.matchAll(/class="name" href="([^"]*)\/vals\/[^"]+">(\w+)</g)];
  // The page of a val of eve's is shown where the visitor is.
  expect(links.map(([, base, name]) => [name, base])).toEqual([
    ['hammer', '/@tools'],
    ['mine', ''],
    ['eve_public', '/@garden'],
  ]);
  expect(await shown('/search?q=%3Cb%3E')).toContain('Vals with “&lt;b&gt;”');
});

describe('without a session', () => {
  const ask = (path: string, accept = 'text/html') =>
    service.ask('GET', path, { token: null, headers: { Accept: accept } });

  test.each(['public', 'unlisted'])(
    '%s vals and their versions are shown, and nothing else of them',
    async (privacy) => {
      const { id } = await service.createVal({ name: privacy, code: 'seen()', privacy });
      await report(id, 0, { error: 'secret error' });
      for (const path of [`/vals/${id}`, `/vals/${id}/versions/1`]) {
        const { status, text } = await ask(path);
        expect({ status, hasCode: text.includes('seen') }).toEqual({ status: 200, hasCode: true });
        expect(text).toContain(`href="/sign-in?next=${encodeURIComponent(path)}"`);
        expect(text).not.toContain('secret error');
      }
      expect((await ask(`/vals/${id}/raw`)).text).toBe('seen()');
    },
  );

  test('any other page is the sign-in, which goes on there', async () => {
    const paths = ['/', '/runs', `/vals/${val.id}`, `/vals/${val.id}/raw`, '/nothing', '/@acme/vals/x'];
    for (const path of paths) {
      const { status, text } = await ask(path);
      expect(status, path).toBe(200);
      expect(text).toContain(`<form method="post" action="/sign-in?next=${encodeURIComponent(path)}">`);
      expect(text).not.toContain('hello');
      expect((await ask(path, 'application/json')).status).toBeGreaterThan(400);
    }
  });
});

test('a page loads nothing, runs only its own script, and cannot be shown in a frame', async () => {
  const { headers } = await service.ask('GET', '/');
  const hash = "'sha256-[\\w+/=]+'";
  expect(headers['content-security-policy']).toMatch(
    new RegExp(
      `^default-src 'none'; img-src data:; connect-src 'self'; style-src ${hash}; script-src ${hash}; base-uri 'none'; form-action 'self'; frame-ancestors 'none'`,
    ),
  );
  expect(headers).toMatchObject({ 'cache-control': 'no-store', 'referrer-policy': 'same-origin' });
});
