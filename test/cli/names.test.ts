import { chmodSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { stripVTControlCharacters } from 'node:util';
import { beforeEach, describe, expect, it } from 'vitest';
import { embeddedService } from '../support/embedded-service.ts';
import { run, runOnScreen, temporaryFolder } from '../support/program.ts';
import { type ScriptedService, type Seen, scriptedService, testToken } from '../support/scripted-service.ts';
import { put } from '../workspace/support.ts';

const hello = '4f2c0c1e-6a53-4bd2-9a2e-1f1f3f0b9c11';
const other = '4f2c0c1e-aaaa-4bd2-9a2e-1f1f3f0b9c22';
const me = '9a000000-0000-4000-8000-000000000001';

interface Val {
  id: string;
  name: string;
  owner?: string;
}

class Vals {
  service!: ScriptedService;
  readonly home = temporaryFolder();
  listHasOwners = true;

  constructor(
    public vals: Val[],
    public hasList: boolean,
  ) {}

  static async of(vals: Val[], hasList = true): Promise<Vals> {
    const made = new Vals(vals, hasList);
    made.service = await scriptedService([], (seen) => made.answer(seen));
    return made;
  }

  answer({ method, path, body }: Seen) {
    const [, id] = /^\/v1\/vals\/([^/?]+)/.exec(path) ?? [];
    if (path === '/v1/me') return { body: { id: me, username: 'ada', url: 'https://example.com/ada' } };
    if (path.startsWith(`/v1/users/${me}/vals`)) {
      if (!this.hasList) return { status: 405 };
      const listed = (val: Val) => (this.listHasOwners ? record(val) : { ...record(val), author: undefined });
      const mine = this.vals.filter(({ owner = me }) => owner === me).map(listed);
      const { searchParams } = new URL(path, 'http://localhost');
      const [limit, offset] = ['limit', 'offset'].map((key) => Number(searchParams.get(key)));
      return { body: { data: mine.slice(offset, (offset ?? 0) + (limit ?? 0)), links: {} } };
    }
    if (method === 'PUT') return { body: record({ id: hello, name: JSON.parse(body).name }) };
    const val = this.vals.find((val) => val.id === id);
    if (val === undefined || path.endsWith('/versions/99')) return { status: 404 };
    if (/versions$|runs\?/.test(path) && method === 'GET') return { body: [] };
    if (method === 'DELETE') return { status: 204 };
    return { body: record(val) };
  }

  command = (...args: string[]) => run(args, { env: this.service.env, home: this.home });

  asked(): string[] {
    return this.service.requests.splice(0).map(({ method, path }) => `${method} ${path}`);
  }
}

const record = ({ id, name, owner = me }: Val) => ({
  id,
  name,
  code: 'x',
  version: 3,
  privacy: 'private',
  versionCreatedAt: '2026-01-02T03:04:05Z',
  author: { id: owner },
  url: `https://example.com/${name}`,
});

const list = `GET /v1/users/${me}/vals?limit=100&offset=0`;
const get = (id: string) => `GET /v1/vals/${id}`;

describe('a name', () => {
  it('that this machine has seen is found without a request', async () => {
    const there = await Vals.of([{ id: hello, name: 'hello' }], false);
    put(there.home, { 'hello.ts': 'x' });
    await there.command('push', 'hello.ts');
    there.asked();
    expect(await there.command('val', 'get', 'hello')).toMatchObject({ exit: 0, stderr: '' });
    expect(there.asked()).toEqual([get(hello)]);
  });

  it("is found in the service's list, and is remembered from then on", async () => {
    const there = await Vals.of([{ id: hello, name: 'hello' }]);
    expect(await there.command('val', 'get', 'hello')).toMatchObject({ exit: 0, stderr: '' });
    expect(there.asked()).toEqual(['GET /v1/me', list, get(hello)]);
    expect(await there.command('val', 'runs', 'hello')).toMatchObject({ exit: 0, stderr: '' });
    expect(there.asked()).toEqual([`GET /v1/vals/${hello}/runs?limit=20&offset=0`]);
  });

  it('is remembered from a list that does not say whose the vals are', async () => {
    const there = await Vals.of([{ id: hello, name: 'hello' }]);
    there.listHasOwners = false;
    await there.command('ls');
    there.asked();
    expect(await there.command('val', 'runs', 'hello')).toMatchObject({ exit: 0, stderr: '' });
    expect(there.asked()).toEqual([`GET /v1/vals/${hello}/runs?limit=20&offset=0`]);
  });

  it("is looked up only among the caller's own vals", async () => {
    const there = await Vals.of([{ id: hello, name: 'hello', owner: 'another' }]);
    await there.command('val', 'get', hello);
    expect(await there.command('val', 'get', 'hello')).toMatchObject({ exit: 3 });
  });

  it.each([true, false])(
    'that does not exist gives a suggestion (service with a list: %s)',
    async (hasList) => {
      const there = await Vals.of([{ id: hello, name: 'hello' }], hasList);
      await there.command('me');
      await there.command('val', 'get', hello);
      const { exit, error } = await there.command('val', 'get', 'helo', '--json');
      expect({ exit, message: error?.message }).toEqual({
        exit: 3,
        message: 'There is no val named helo. Did you mean "hello"?',
      });
    },
  );

  it('needs a token, but a whole id does not', async () => {
    const there = await Vals.of([{ id: hello, name: 'hello' }]);
    const env = { VALS_BASE_URL: there.service.baseUrl };
    expect(await run(['val', 'get', 'hello', '--json'], { env })).toMatchObject({ exit: 4 });
    expect(there.asked()).toEqual([]);
    expect(await run(['val', 'get', hello, '--json'], { env })).toMatchObject({ exit: 0 });
  });

  it('that two vals have is refused, and both vals are shown', async () => {
    const there = await Vals.of([
      { id: hello, name: 'hello' },
      { id: other, name: 'hello' },
    ]);
    const { exit, error } = await there.command('val', 'rm', 'hello', '--yes', '--json');
    expect({ exit, kind: error?.kind }).toEqual({ exit: 2, kind: 'usage' });
    for (const id of [hello, other]) expect(error?.message).toContain(id);
    expect(there.asked().filter((line) => line.startsWith('DELETE'))).toEqual([]);
  });
});

describe('the beginning of an id', () => {
  it.each<[string, number, RegExp]>([
    ['4f2c0c1e-6', 0, /hello/],
    ['4F2C0C1E-6A', 0, /hello/],
    ['4f2c0c1e', 2, new RegExp(`${hello} \\(hello\\) and ${other} \\(theirs\\)`)],
    ['4f2c0', 3, /no val named 4f2c0/],
  ])('%s: exit %i', async (word, exit, output) => {
    const there = await Vals.of([
      { id: hello, name: 'hello' },
      { id: other, name: 'theirs', owner: 'another' },
    ]);
    for (const id of [hello, other]) await there.command('val', 'get', id);
    const result = await there.command('val', 'get', word);
    expect(result.exit).toBe(exit);
    expect(result.stdout + result.stderr).toMatch(output);
  });

  it('may be the whole id of another val', async () => {
    const there = await Vals.of([
      { id: 'abcdef12', name: 'longer' },
      { id: 'abcdef1', name: 'shorter' },
    ]);
    await there.command('ls');
    const { stdout } = await there.command('val', 'get', 'abcdef1', '--json');
    expect(JSON.parse(stdout).name).toBe('shorter');
  });

  it.each(['facade', 'fac4de'])('is used only if no val of the caller is named %s', async (name) => {
    const named = '11111111-6a53-4bd2-9a2e-1f1f3f0b9c11';
    const strangers = `${name}00-6a53-4bd2-9a2e-1f1f3f0b9c11`;
    const there = await Vals.of([
      { id: strangers, name: 'other', owner: 'another' },
      { id: named, name },
    ]);
    await there.command('val', 'get', strangers);
    const { stdout } = await there.command('val', 'get', name, '--json');
    expect(JSON.parse(stdout).id).toBe(named);
  });
});

describe('a command that writes by a remembered name', () => {
  const writes: string[][] = [
    ['val', 'rm', 'hello', '--yes'],
    ['version', 'new', 'hello', 'hello.ts'],
    ['version', 'rm', 'hello', '1', '--yes'],
    ['version', 'restore', 'hello', '1'],
    ['val', 'edit', 'hello'],
  ];
  let there: Vals;
  beforeEach(async () => {
    there = await Vals.of([{ id: hello, name: 'hello' }]);
    put(there.home, { 'hello.ts': 'x' });
    await there.command('ls');
    there.asked();
  });

  it.each(writes)('stops if the val has another name now: vals %s %s', async (...args) => {
    there.vals = [{ id: hello, name: 'bye' }];
    const { exit, error } = await there.command(...args, '--json');
    expect({ exit, kind: error?.kind }).toEqual({ exit: 5, kind: 'conflict' });
    expect(error?.message).toContain('"bye"');
    expect(there.asked()).toEqual([get(hello)]);
  });

  it('reads the val first, and goes on if it still has the name', async () => {
    expect(await there.command('val', 'rm', 'hello', '--yes')).toMatchObject({ exit: 0 });
    expect(there.asked()).toEqual([get(hello), `DELETE /v1/vals/${hello}`]);
  });

  it('finds the val that has the name now, if the remembered val is gone', async () => {
    there.vals = [{ id: other, name: 'hello' }];
    expect(await there.command('val', 'rm', 'hello', '--yes')).toMatchObject({ exit: 0 });
    expect(there.asked()).toEqual([get(hello), list, `DELETE /v1/vals/${other}`]);
  });

  it('does not read the val first if an id was given', async () => {
    await there.command('val', 'rm', hello, '--yes');
    expect(there.asked()).toEqual([`DELETE /v1/vals/${hello}`]);
  });
});

describe('the file of remembered vals', () => {
  const fileOf = (there: Vals) => join(there.home, '.local/share/vals/seen.tsv');

  it('is readable by its owner alone, holds no token, and is not used with another token', async () => {
    const there = await Vals.of([{ id: hello, name: 'hello' }], false);
    await there.command('me');
    await there.command('val', 'get', hello);
    expect(statSync(fileOf(there)).mode & 0o777).toBe(0o600);
    expect(readFileSync(fileOf(there), 'utf8')).not.toContain(there.service.env.VALS_TOKEN);
    const env = { ...there.service.env, VALS_TOKEN: 'another-token' };
    expect(await run(['val', 'get', 'hello'], { env, home: there.home })).toMatchObject({ exit: 3 });
  });

  it.each(['deleted', 'answered 404'])('forgets a val that was %s', async (how) => {
    const there = await Vals.of([{ id: hello, name: 'hello' }], false);
    await there.command('me');
    await there.command('val', 'get', hello);
    if (how === 'deleted') await there.command('val', 'rm', hello, '--yes');
    there.vals = [];
    if (how !== 'deleted') await there.command('val', 'get', hello);
    expect(readFileSync(fileOf(there), 'utf8')).not.toContain(hello);
  });

  it('keeps the latest 10,000 vals', async () => {
    const there = await Vals.of([{ id: hello, name: 'hello' }], false);
    await there.command('val', 'get', hello);
    const [line = ''] = readFileSync(fileOf(there), 'utf8').split('\n');
    const many = Array.from({ length: 10_000 }, (_, index) => `${line.replaceAll(hello, `id-${index}`)}\n`);
    writeFileSync(fileOf(there), many.join(''));
    await there.command('val', 'get', hello);
    const kept = readFileSync(fileOf(there), 'utf8').trimEnd().split('\n');
    expect([kept.length, kept[0], kept.at(-1)]).toEqual([10_000, many[1]?.trimEnd(), line]);
  });

  it('is not written again if nothing changed', async () => {
    const there = await Vals.of([{ id: hello, name: 'hello' }], false);
    const inode = async () => {
      await there.command('me');
      await there.command('val', 'get', hello);
      return statSync(fileOf(there)).ino;
    };
    expect(await inode()).toBe(await inode());
  });

  it.each(['no JSON', '\t\t', 'no\ttab\tno JSON\n\0', `${'\t'.repeat(100_000)}\n`])(
    'counts as empty if it holds %.20j',
    async (content) => {
      const there = await Vals.of([{ id: hello, name: 'hello' }]);
      await there.command('me');
      writeFileSync(fileOf(there), content);
      expect(await there.command('val', 'get', 'hello')).toMatchObject({ exit: 0, stderr: '' });
    },
  );

  it.skipIf(process.platform === 'win32')(
    'is not required: a command works if the file cannot be written',
    async () => {
      const there = await Vals.of([{ id: hello, name: 'hello' }]);
      put(there.home, { file: '' });
      const places = { 'a file': join(there.home, 'file'), 'no home': undefined };
      for (const folder of Object.values(places)) {
        const env = { ...there.service.env, ...(folder ? { VALS_DATA_DIR: folder } : { HOME: '' }) };
        expect(await run(['val', 'get', hello], { env, home: there.home })).toMatchObject({
          exit: 0,
          stderr: '',
        });
      }
    },
  );

  it('gives names to completion, outside of a workspace too', async () => {
    const there = await Vals.of([{ id: hello, name: 'hello' }]);
    await there.command('ls');
    const { stdout } = await there.command('__complete', 'bash', 'val', 'get', 'he');
    expect(stdout).toBe('hello\n');
  });
});

describe('vals ls', () => {
  it("shows the service's list page by page", async () => {
    const there = await Vals.of([
      { id: hello, name: 'hello' },
      { id: other, name: 'second' },
    ]);
    const { stdout, stderr } = await there.command('ls', '--limit', '1');
    expect(stdout).toBe(`hello\tprivate\t3\t2026-01-02T03:04:05Z\t${hello}\n`);
    expect(stderr).toBe('');
    expect(there.asked()).toEqual(['GET /v1/me', `GET /v1/users/${me}/vals?limit=1&offset=0`]);
    expect(JSON.parse((await there.command('list', '--json')).stdout)).toHaveLength(2);
  });

  it('shows the remembered vals if the service has no list, and says so', async () => {
    const there = await Vals.of([{ id: hello, name: 'hello' }], false);
    await there.command('me');
    await there.command('val', 'get', hello);
    const { exit, stdout, stderr } = await there.command('ls');
    expect({ exit, stdout }).toEqual({ exit: 0, stdout: `hello\t\t3\t\t${hello}\n` });
    expect(stderr).toContain('The service cannot list vals.');
  });
});

describe('before a deletion', () => {
  it('val rm shows the vals, and asks once', async () => {
    const there = await Vals.of([
      { id: hello, name: 'hello' },
      { id: other, name: 'second' },
    ]);
    const { exit, screen } = await runOnScreen(['val', 'rm', hello, other], {
      env: there.service.env,
      columns: 80,
      answers: [{ after: '[y/N]', keys: 'n\r' }],
    });
    expect(exit).toBe(2);
    const shown = stripVTControlCharacters(screen);
    for (const [name, id] of [
      ['hello', hello],
      ['second', other],
    ]) {
      const row = new RegExp(`${name} +3 +private +2026-01-02 \\d\\d:\\d\\d +${id?.slice(0, 8)}\r\n`);
      expect(shown).toMatch(row);
    }
    for (const line of shown.split('\r\n')) expect(line.length).toBeLessThanOrEqual(80);
    expect(screen).toContain('Delete these 2 vals, with all their versions and runs: hello, second? [y/N]');
    expect(there.asked().filter((line) => line.startsWith('DELETE'))).toEqual([]);
  });

  it.each<[string[], string]>([
    [['3'], 'Delete version 3 of the val hello, its current version?'],
    [['1'], 'Delete version 1 of the val hello, whose current version is 3?'],
    [['1', '3'], 'Delete the versions 1, 3 of the val hello, among them its current version 3?'],
  ])('version rm %s says which version is current', async (versions, question) => {
    const there = await Vals.of([{ id: hello, name: 'hello' }]);
    const { screen } = await runOnScreen(['version', 'rm', hello, ...versions], {
      env: there.service.env,
      columns: 120,
      answers: [{ after: '[y/N]', keys: 'n\r' }],
    });
    expect(screen).toContain(question);
  });

  it('a word that names no val is refused before the question', async () => {
    const there = await Vals.of([{ id: hello, name: 'hello' }]);
    for (const word of ['helo', other]) {
      const { exit, screen } = await runOnScreen(['val', 'rm', 'hello', word], {
        env: there.service.env,
        answers: [],
      });
      expect(exit).toBe(3);
      expect(screen).not.toContain('[y/N]');
    }
  });
});

describe('vals open', () => {
  const atTerminal = (there: Vals, env: Record<string, string>, ...args: string[]) =>
    runOnScreen(['open', ...args], {
      env: { ...there.service.env, ...env },
      home: there.home,
      columns: 120,
    });

  it.skipIf(process.platform === 'win32')('gives the address to the browser as one argument', async () => {
    const there = await Vals.of([{ id: hello, name: 'hello' }]);
    const browser = join(there.home, 'browser');
    put(there.home, {
      browser: `#!/bin/sh\nprintf '%s\\n' "$@" > ${there.home}/opened.part\nmv ${there.home}/opened.part ${there.home}/opened\n`,
    });
    chmodSync(browser, 0o755);
    expect(await atTerminal(there, { BROWSER: browser }, 'hello')).toMatchObject({ exit: 0 });
    await expect
      .poll(() => readFileSync(join(there.home, 'opened'), 'utf8'))
      .toBe('https://example.com/hello\n');
  });

  it('prints the address if there is no browser, and in a pipe', async () => {
    const there = await Vals.of([{ id: hello, name: 'hello' }]);
    expect((await atTerminal(there, { BROWSER: join(there.home, 'none') }, 'hello')).screen).toContain(
      'https://example.com/hello\r\n',
    );
    expect(await there.command('open')).toMatchObject({ exit: 0, stdout: 'https://example.com/ada\n' });
    expect(JSON.parse((await there.command('open', 'hello', '--json')).stdout)).toEqual({
      url: 'https://example.com/hello',
    });
  });

  it('opens the page of vals serve, for one visit', async () => {
    const { env, baseUrl } = await embeddedService();
    const { stdout } = await run(['push', '-', '--name', 'hello', '--json'], { env, input: 'code' });
    const [{ id }] = JSON.parse(stdout);
    for (const [word, query] of [
      [id, `&val=${id}`],
      [undefined, ''],
    ]) {
      const words = word === undefined ? [] : [word];
      const { url } = JSON.parse((await run(['open', ...words, '--json'], { env })).stdout);
      expect(url).toContain(`${baseUrl}/?`);
      const first = await fetch(url, { redirect: 'manual' });
      const cookie = first.headers.get('set-cookie')?.split(';')[0] ?? '';
      const path = first.headers.get('location') ?? '';
      expect(path.replace('?', '&').endsWith(query)).toBe(true);
      const page = await fetch(new URL(path, baseUrl), { headers: { cookie } });
      expect(await page.text()).toContain('hello');
      expect((await fetch(url, { redirect: 'manual' })).status).toBe(401);
    }
  });

  it.each([
    ['is not http:// or https://', 'file:///etc/passwd'],
    ['contains your token', `https://example.com/?t=${testToken}`],
    ['contains your token', `https://example.com/?t=%74${testToken.slice(1)}`],
    ['is too long', `https://example.com/${'a'.repeat(3_000_000)}`],
  ])('refuses an address that %s', async (problem, url) => {
    const service = await scriptedService([{ body: { id: hello, url } }]);
    const { exit, stdout, stderr } = await run(['open', hello], { env: service.env });
    expect({ exit, stdout }).toEqual({ exit: 11, stdout: '' });
    expect(stderr).toContain(`The service sent an address that ${problem}, so nothing was opened.`);
  });

  it('with --local says that only vals serve has pages', async () => {
    const { exit, stderr } = await run(['open', '--local']);
    expect(exit).toBe(2);
    expect(stderr).toContain('vals serve');
  });
});

describe('vals use', () => {
  const signedIn = (tokens: Record<string, string> = {}) => {
    const home = temporaryFolder();
    const known = { 'https://one.example': 'token-number-one', 'https://two.example': 'token-number-two' };
    put(home, {
      '.config/vals/config.json': JSON.stringify({
        baseUrl: 'https://one.example/api',
        tokens: { ...known, ...tokens },
      }),
    });
    chmodSync(join(home, '.config/vals'), 0o700);
    chmodSync(join(home, '.config/vals/config.json'), 0o600);
    return home;
  };

  it('lists the services, and switches to one of them', async () => {
    const home = signedIn();
    const rows = async (...args: string[]) =>
      JSON.parse((await run(['use', ...args, '--json'], { home })).stdout);
    expect(await rows()).toEqual([
      { default: true, baseUrl: 'https://one.example/api' },
      { default: false, baseUrl: 'https://two.example' },
    ]);
    expect(await rows('https://two.example/v1/')).toContainEqual({
      default: true,
      baseUrl: 'https://two.example',
    });
    const { stdout } = await run(['config', '--json'], { home });
    expect(JSON.parse(stdout)[0].value).toBe('https://two.example');
  });

  it.each<{ wanted: string; tokens: Record<string, string>; exit: number; says: string }>([
    { wanted: 'two.example', tokens: {}, exit: 0, says: 'https://two.example' },
    { wanted: 'two.example/api', tokens: {}, exit: 0, says: 'https://two.example/api' },
    { wanted: 'three.example', tokens: {}, exit: 2, says: 'not signed in to three.example' },
    {
      wanted: 'https://three.example',
      tokens: {},
      exit: 2,
      says: 'vals login --base-url https://three.example',
    },
    {
      wanted: 'localhost:4000',
      tokens: { 'http://localhost:4000': 'token-number-3', 'https://localhost:4000': 'token-number-4' },
      exit: 2,
      says: 'localhost:4000 is ambiguous: it may be http://localhost:4000 or https://localhost:4000.',
    },
  ])('takes $wanted for a service if it names exactly one', async ({ wanted, tokens, exit, says }) => {
    const home = signedIn(tokens);
    const result = await run(['use', wanted], { home });
    expect(result.exit).toBe(exit);
    expect(exit === 0 ? result.stdout : result.stderr).toContain(says);
  });
});

it('login asks for the base URL if none is known', async () => {
  const there = await Vals.of([]);
  const { exit, screen } = await runOnScreen(['login'], {
    home: there.home,
    columns: 120,
    answers: [
      { after: 'Base URL of the service', keys: `${there.service.baseUrl}\r` },
      { after: 'Token for', keys: 'a-token-that-is-long\r' },
    ],
  });
  expect(exit).toBe(0);
  expect(screen).toContain('ada');
  expect((await run(['me'], { home: there.home })).exit).toBe(0);
});

describe('an error', () => {
  it('names a val by the word that the user typed, and keeps the id for programs', async () => {
    const there = await Vals.of([{ id: hello, name: 'hello' }]);
    const { exit, stderr } = await there.command('version', 'get', 'hello', '99');
    expect({ exit, stderr }).toMatchObject({ exit: 3, stderr: expect.stringContaining('val hello.') });
    expect(stderr).toContain('`vals version ls hello`');
    const { error } = await there.command('version', 'get', 'hello', '99', '--json');
    expect(error).toMatchObject({ path: `/v1/vals/${hello}/versions/99` });
  });
});
