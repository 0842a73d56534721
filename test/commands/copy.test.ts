import { describe, expect, it } from 'vitest';
import { blobId } from '../../src/lib/blob-id.ts';
import { openStore } from '../../src/service/index.ts';
import { quickRetries } from '../support/clocks.ts';
import { run, temporaryFolder, valNames } from '../support/program.ts';
import { type Reply, type Seen, scriptedService, testToken } from '../support/scripted-service.ts';
import { frontOf, newStoreFile, serviceInProcess } from '../support/service-in-process.ts';
import { outcomes, pushCode } from './pushes.ts';

type Env = Record<string, string>;

const testId = '00000000-0000-4000-8000-000000000000';

async function twoServices() {
  const from = await serviceInProcess();
  const file = newStoreFile();
  const to = await serviceInProcess(undefined, file);
  const copy = (args: string[], at = to.baseUrl) =>
    run(['copy', ...args, '--to', at], { env: { ...from.env, VALS_TO_TOKEN: to.token } });
  return { from, to, file, copy };
}

async function ask(env: Env, method: string, path: string, body?: object) {
  const headers = { authorization: `Bearer ${env.VALS_TOKEN}`, 'content-type': 'application/json' };
  const sent = { method, headers, ...(body && { body: JSON.stringify(body) }) };
  const text = await (await fetch(`${env.VALS_BASE_URL}/v1${path}`, sent)).text();
  return text && JSON.parse(text);
}

async function push(env: Env, name: string, ...codes: string[]): Promise<void> {
  for (const code of codes) await ask(env, 'PUT', '/vals', { name, code });
}

async function record(env: Env, name: string) {
  const { username } = await ask(env, 'GET', '/me');
  return ask(env, 'GET', `/alias/${username}/${name}`);
}

const set = async (env: Env, name: string, fields: object) =>
  ask(env, 'PUT', `/vals/${(await record(env, name)).id}`, fields);

async function versions(env: Env, name: string): Promise<string[]> {
  const { id } = await record(env, name);
  const { data } = await ask(env, 'GET', `/vals/${id}/versions?limit=100`);
  const codes: string[] = [];
  for (const { version } of data.reverse())
    codes.push((await ask(env, 'GET', `/vals/${id}/versions/${version}`)).code);
  return codes;
}

const statuses = ({ stdout }: { stdout: string }) =>
  outcomes(stdout).map(({ name, status }) => `${name} ${status}`);

interface Target {
  /** Undefined if the service cannot list vals. */
  list?: object[];
  read?(path: string): unknown;
  write(sent: { method: string; path: string; body: Record<string, unknown> }): Reply;
}

/** A service that replies to writes as a test needs it. */
async function targetWith({ list, read, write }: Target) {
  const service = await scriptedService([], ({ method, path, body }: Seen) => {
    if (path === '/v1/me') return { body: { id: 'u' } };
    if (path.startsWith('/v1/users/')) return list ? { body: { data: list, links: {} } } : { status: 404 };
    if (method === 'GET') return { body: read?.(path) };
    return write({ method, path, body: JSON.parse(body || '{}') });
  });
  const writes = () =>
    service.requests
      .filter(({ method }) => method !== 'GET')
      .map(({ method, path, body }) => ({ method, path, ...(body && { body: JSON.parse(body) }) }));
  return { ...service, writes, bodies: () => writes().map(({ body }) => body ?? {}) };
}

/** A service with one val, or with the val that `body` returns for a path. */
const sourceWith = (body: (path: string) => unknown) =>
  scriptedService([], ({ path }) => ({ body: body(path) }));

const copyFrom = (from: { env: Env }, to: { baseUrl: string; token?: string }, ...args: string[]) =>
  run(['copy', ...args, '--to', to.baseUrl], {
    env: { ...from.env, VALS_TO_TOKEN: to.token ?? 'token-of-the-target' },
    clock: quickRetries,
  });

describe('the current code', () => {
  it('is copied with name, readme and privacy, and is unchanged the second time', async () => {
    const { from, to, copy } = await twoServices();
    await push(from.env, 'hello', '1', '2');
    await set(from.env, 'hello', { privacy: 'unlisted', readme: 'long' });
    const first = await copy(['hello', '--json']);
    expect(first).toMatchObject({ exit: 0, stderr: '' });
    const there = await record(to.env, 'hello');
    expect(JSON.parse(first.stdout)).toEqual([
      { name: 'hello', status: 'created', id: there.id, version: 1 },
    ]);
    expect(there).toMatchObject({ code: '2', readme: 'long', privacy: 'unlisted', version: 1 });
    expect(statuses(await copy(['hello', '--json']))).toEqual(['hello unchanged']);
    await set(from.env, 'hello', { privacy: 'private' });
    const { exit, stderr } = await copy(['hello']);
    expect({ exit, stderr }).toEqual({
      exit: 0,
      stderr: expect.stringContaining('hello has another privacy on'),
    });
  });

  it('of another owner is copied by its owner and name', async () => {
    const { from, copy } = await twoServices();
    await push(from.env, 'a', '1');
    const { username } = await ask(from.env, 'GET', '/me');
    const { exit, stdout } = await copy([`${username}/a`, '--json']);
    expect({ exit, rows: outcomes(stdout) }).toMatchObject({
      exit: 0,
      rows: [{ name: 'a', status: 'created' }],
    });
  });

  it('is not sent over other code without --force', async () => {
    const { from, to, copy } = await twoServices();
    await push(from.env, 'hello', 'here');
    await push(from.env, 'other', 'same');
    await push(to.env, 'hello', 'there');
    const refused = await copy(['hello', '--json']);
    expect(refused).toMatchObject({ exit: 5, error: { kind: 'conflict' } });
    expect(statuses(refused)).toEqual(['hello failed']);
    expect(await copy(['hello', '--dry-run'])).toMatchObject({ exit: 5 });
    expect(await copy(['hello', 'other'])).toMatchObject({ exit: 9 });
    const forced = await copy(['hello', '--force', '--json']);
    expect(JSON.parse(forced.stdout)).toMatchObject([{ status: 'pushed', version: 2, versionBefore: 1 }]);
    expect(await versions(to.env, 'hello')).toEqual(['there', 'here']);
  });

  it.each([
    { versions: [], codesThere: ['b', 'd', 'fix', 'e'] },
    { versions: ['--versions'], codesThere: ['b', 'c', 'd', 'fix', 'a', 'b', 'c', 'd', 'e'] },
  ])(
    'replaces an older version of the val without --force $versions',
    async ({ versions: flag, codesThere }) => {
      const { from, to, copy } = await twoServices();
      await push(from.env, 'hello', 'a', 'b', 'c');
      await push(to.env, 'hello', 'b');
      await push(from.env, 'hello', 'd');
      await set(from.env, 'hello', { readme: 'long' });
      expect(statuses(await copy(['hello', ...flag, '--json']))).toEqual(['hello pushed']);
      expect(await record(to.env, 'hello')).toMatchObject({ code: 'd', readme: 'long' });
      await push(to.env, 'hello', 'fix');
      await push(from.env, 'hello', 'e');
      expect(await copy(['hello', ...flag])).toMatchObject({ exit: 5 });
      expect((await copy(['hello', ...flag, '--force'])).exit).toBe(0);
      expect(await versions(to.env, 'hello')).toEqual(codesThere);
    },
  );

  it('is compared with the hashes of the versions if the source sends them', async () => {
    const from = await sourceWith((path) =>
      path.endsWith('/versions')
        ? ['a', 'b'].map((code, version) => ({ version, codeHash: blobId(Buffer.from(code)) }))
        : { id: testId, name: 'hello', code: 'b' },
    );
    const to = await serviceInProcess();
    await push(to.env, 'hello', 'a');
    expect(statuses(await copyFrom(from, to, testId, '--json'))).toEqual(['hello pushed']);
    expect(from.requests.map(({ path }) => path)).toEqual([
      `/v1/vals/${testId}`,
      `/v1/vals/${testId}/versions`,
    ]);
  });

  it('replaces no code that somebody sends to the target meanwhile', async () => {
    const { from, to } = await twoServices();
    await push(from.env, 'hello', 'a', 'b');
    await push(to.env, 'hello', 'a');
    const front = await frontOf(from, ({ path }) =>
      path.endsWith('/versions')
        ? (response) =>
            void push(to.env, 'hello', 'fix').then(() => response.end(JSON.stringify([{ version: 1 }])))
        : undefined,
    );
    expect(await copyFrom(front, to, 'hello')).toMatchObject({ exit: 5 });
    expect(await record(to.env, 'hello')).toMatchObject({ code: 'fix' });
  });

  it('of all vals is copied by one command, and --dry-run only plans it', async () => {
    const { from, to, copy } = await twoServices();
    for (const name of valNames(12)) await push(from.env, name, `// ${name}`);
    const planned = JSON.parse((await copy(['--all', '--dry-run', '--json'])).stdout);
    expect(planned).toHaveLength(12);
    expect(planned[0]).toEqual({ name: expect.stringMatching(/^val\d+$/), status: 'planned' });
    expect((await record(to.env, 'val7')).status).toBe(404);
    const { exit, stdout } = await copy(['--all', '--json']);
    expect(exit).toBe(0);
    expect(outcomes(stdout).every(({ status }) => status === 'created')).toBe(true);
    expect(await record(to.env, 'val7')).toMatchObject({ code: '// val7', privacy: 'private' });
  });

  it('is copied from the embedded service too', async () => {
    const to = await serviceInProcess();
    const local = { VALS_LOCAL: '1', VALS_DATA_DIR: temporaryFolder(), VALS_BASE_URL: to.baseUrl };
    await pushCode(local, 'mine', 'code');
    expect(statuses(await copyFrom({ env: local }, to, 'mine', '--json'))).toEqual(['mine created']);
    expect(await record(to.env, 'mine')).toMatchObject({ code: 'code' });
  });
});

describe('every version', () => {
  it('is copied in order, also after an interrupted copy, and is unchanged the second time', async () => {
    const { from, to, copy } = await twoServices();
    const args = ['hello', '--versions', '--json'];
    await push(from.env, 'hello', 'a', 'b', 'a');
    await push(to.env, 'hello', 'a');
    const { stdout } = await copy(args);
    expect(JSON.parse(stdout)).toMatchObject([{ status: 'pushed', version: 3, versionBefore: 1 }]);
    expect(await versions(to.env, 'hello')).toEqual(['a', 'b', 'a']);
    expect(statuses(await copy(args))).toEqual(['hello unchanged']);
  });

  it.each([
    ['public', 'private', 'private', 'has another privacy on'],
    ['private', 'public', 'private', 'changed from public to private on'],
    ['unlisted', 'public', 'unlisted', 'changed from public to unlisted on'],
  ])('of a %s val makes a %s copy %s, also with --force', async (privacy, before, after, warning) => {
    const { from, to, copy } = await twoServices();
    await push(from.env, 'hello', 'a', 'b');
    await push(to.env, 'hello', 'a', 'secret of the target');
    await set(from.env, 'hello', { privacy });
    await set(to.env, 'hello', { privacy: before });
    const { exit, stderr } = await copy(['hello', '--versions', '--force']);
    expect({ exit, stderr }).toEqual({ exit: 0, stderr: expect.stringContaining(`hello ${warning}`) });
    expect(await record(to.env, 'hello')).toMatchObject({ code: 'b', privacy: after });
  });

  it('is a conflict if the target has other versions, and --force adds the versions after the common ones', async () => {
    const { from, to, copy } = await twoServices();
    await push(from.env, 'hello', 'a', 'b', 'c');
    await push(to.env, 'hello', 'a', 'x');
    expect(await copy(['hello', '--versions'])).toMatchObject({ exit: 5 });
    expect((await copy(['hello', '--versions', '--force'])).exit).toBe(0);
    expect(await versions(to.env, 'hello')).toEqual(['a', 'x', 'b', 'c']);
    await push(from.env, 'last', 'a', 'b');
    await push(to.env, 'last', 'b');
    expect(statuses(await copy(['last', '--versions', '--json']))).toEqual(['last unchanged']);
  });

  it('is copied into a space with the token of the person', async () => {
    const { from, to, file, copy } = await twoServices();
    const store = await openStore({ file });
    await store.spaces.add('acme');
    await store.spaces.grant('acme', 'local', 'write');
    await store.close();
    await push(from.env, 'hello', 'a', 'b');
    const space = { ...to.env, VALS_BASE_URL: `${to.baseUrl}/@acme` };
    const result = await copy(['--all', '--versions', '--json'], space.VALS_BASE_URL);
    expect(statuses(result)).toEqual(['hello created']);
    expect(await versions(space, 'hello')).toEqual(['a', 'b']);
    expect((await record(space, 'hello')).author.username).toBe('acme');
    await push(to.env, 'own', 'c');
    const within = { baseUrl: space.VALS_BASE_URL, token: to.token };
    expect(statuses(await copyFrom(to, within, 'own', '--json'))).toEqual(['own created']);
  });
});

describe('tokens', () => {
  it('the stored token of the target is used', async () => {
    const { from, to } = await twoServices();
    await push(from.env, 'hello', 'a');
    const env = { VALS_CONFIG_DIR: temporaryFolder() };
    await run(['login', '--base-url', to.baseUrl, '--with-token'], { env, input: to.token });
    const copied = await run(['copy', 'hello', '--to', to.baseUrl, '--json'], {
      env: { ...env, ...from.env },
    });
    expect(statuses(copied)).toEqual(['hello created']);
  });

  it('the current token is not sent to another service', async () => {
    const from = await serviceInProcess();
    await push(from.env, 'hello', 'a');
    const to = await scriptedService([], ({ headers }) => ({
      status: 401,
      body: { message: `bad ${headers.authorization}` },
    }));
    const refused = await run(['copy', 'hello', '--to', to.baseUrl, '--json'], { env: from.env });
    expect(refused).toMatchObject({ exit: 4, stdout: '', error: { kind: 'auth' } });
    expect(refused.stderr).toContain('VALS_TO_TOKEN');
    expect(to.requests).toEqual([]);
    const wrong = await copyFrom(from, { ...to, token: 'wrong_token_of_the_target' }, 'hello', '--json');
    expect(wrong).toMatchObject({
      exit: 4,
      error: { kind: 'auth', hint: expect.stringContaining('VALS_TO_TOKEN') },
    });
    expect(wrong.stdout + wrong.stderr).not.toContain('wrong_token_of_the_target');
    expect(to.requests[0]?.headers.authorization).toBe('Bearer wrong_token_of_the_target');
  });

  it.each(['name', 'privacy', 'readme', 'code'])('in the %s of a val are not sent', async (field) => {
    const to = await targetWith({ list: [], write: () => ({ body: {} }) });
    for (const token of [testToken, 'token-of-the-target']) {
      const val = { id: testId, name: 'hello', code: 'a', privacy: 'public', [field]: token };
      expect(await copyFrom(await sourceWith(() => val), to, testId, '--dry-run')).toMatchObject({
        exit: 10,
        stderr: expect.stringContaining(`The ${field} contains`),
      });
    }
  });

  it('in the first or in a later version of a val are not sent', async () => {
    const from = await sourceWith((path) => {
      if (path.endsWith('/versions')) return [{ version: 0 }, { version: 1 }];
      return { id: testId, name: 'hello', code: path.endsWith('/0') ? 'a' : testToken, privacy: 'public' };
    });
    const to = await targetWith({ list: [], write: () => ({ body: { id: testId } }) });
    expect(await copyFrom(from, to, testId)).toMatchObject({ exit: 10 });
    expect(await copyFrom(from, to, testId, '--versions')).toMatchObject({
      exit: 10,
      stderr: expect.stringContaining('Older versions were copied before.'),
    });
    expect(to.bodies().map(({ code }) => code)).toEqual(['a']);
  });
});

describe('a source', () => {
  it('that answers with another name than the list overwrites no other val', async () => {
    const to = await serviceInProcess();
    await push(to.env, 'prod', 'precious');
    const from = await sourceWith((path) => {
      if (path === '/v1/me') return { id: 'u' };
      if (path.startsWith('/v1/users/')) return { data: [{ id: 'x', name: 'hello' }], links: {} };
      return { id: 'x', name: 'prod', code: 'evil', privacy: 'public' };
    });
    expect(await copyFrom(from, to, 'hello', '--force')).toMatchObject({ exit: 5 });
    expect(await record(to.env, 'prod')).toMatchObject({ code: 'precious', privacy: 'private' });
  });

  it('whose version number leads to another address is refused', async () => {
    const from = await sourceWith((path) =>
      path.endsWith('/versions') ? [{ version: '../../other' }] : { id: 'x', name: 'hello', code: 'a' },
    );
    const to = await serviceInProcess();
    expect(await copyFrom(from, to, testId, '--versions')).toMatchObject({ exit: 11 });
    expect(from.requests.map(({ path }) => path)).toEqual([
      `/v1/vals/${testId}`,
      `/v1/vals/${testId}/versions`,
    ]);
  });

  // Equal versions in a row count as one, since services collapse them.
  const codes = ['a', 'a', 'b', 'c'];
  const sourceNow = (current: () => string) =>
    sourceWith((path) => {
      if (path.endsWith('/versions')) return codes.map((_code, version) => ({ version }));
      const [version] = /(?<=versions\/)\d$/.exec(path) ?? [];
      const code = version === undefined ? current() : codes[Number(version)];
      return { id: testId, name: 'hello', code };
    });

  it('whose current code is an older version is copied with that code as the last version', async () => {
    const to = await serviceInProcess();
    const from = await sourceNow(() => 'b');
    for (const status of ['created', 'unchanged']) {
      const result = await copyFrom(from, to, testId, '--versions', '--json');
      expect(JSON.parse(result.stdout)).toMatchObject([{ status, version: 4 }]);
    }
    expect(await versions(to.env, 'hello')).toEqual(['a', 'b', 'c', 'b']);
  });

  it('that gets a new version meanwhile is copied with the new version as the last one', async () => {
    const to = await serviceInProcess();
    await push(to.env, 'hello', 'a', 'b');
    let reads = 0;
    const from = await sourceNow(() => (reads++ === 0 ? 'b' : 'c'));
    expect(await copyFrom(from, to, testId, '--versions')).toMatchObject({ exit: 0 });
    expect(await versions(to.env, 'hello')).toEqual(['a', 'b', 'c']);
  });
});

it.each([
  { what: 'no versions', list: [] },
  { what: 'versions without numbers', list: [{ code: 'a' }] },
])(
  'a service that lists $what gives its current code, and is overwritten only with --force',
  async ({ list }) => {
    const real = await serviceInProcess();
    const from = await sourceWith((path) =>
      path.endsWith('/versions') ? list : { id: testId, name: 'now', code: 'now' },
    );
    expect(statuses(await copyFrom(from, real, testId, '--versions', '--json'))).toEqual(['now created']);
    expect(await versions(real.env, 'now')).toEqual(['now']);
    await push(real.env, 'hello', 'a', 'b');
    const val = { id: testId, name: 'hello', code: 'precious' };
    const read = (path: string) => (path.endsWith('/versions') ? list : val);
    const to = await targetWith({ list: [val], read, write: () => ({ body: val }) });
    expect(await copyFrom(real, to, 'hello', '--versions')).toMatchObject({ exit: 5 });
    expect(to.bodies()).toEqual([]);
    expect(await copyFrom(real, to, 'hello', '--versions', '--force')).toMatchObject({ exit: 0 });
    expect(to.bodies()).toMatchObject([{ code: 'a' }, { code: 'b' }]);
  },
);

it('vals copy refuses a command line without a val or a target, and the same service as the target', async () => {
  const { env, baseUrl } = await serviceInProcess();
  await push(env, 'hello', 'a');
  const to = ['--to', 'https://vals.example.com'];
  for (const [args, message] of [
    [['hello'], '--to'],
    [to, 'No val'],
    [['hello', '--all', ...to], 'no names can be given'],
    [['hello', '--to', 'nonsense'], '--to'],
    [['hello', '--to', `${baseUrl}/v1/`], 'to the same service'],
  ] as const) {
    const { exit, stdout, stderr } = await run(['copy', ...args], { env });
    expect({ exit, stdout }).toEqual({ exit: 2, stdout: '' });
    expect(stderr).toContain(message);
  }
  const withoutList = await frontOf({ baseUrl, token: env.VALS_TOKEN }, ({ path }) =>
    path.startsWith('/v1/users/') ? { status: 404 } : undefined,
  );
  expect(await copyFrom(withoutList, { baseUrl: 'http://127.0.0.1:9' }, '--all')).toMatchObject({
    exit: 2,
    stderr: expect.stringContaining('The service cannot list your vals'),
  });
});

describe('a target', () => {
  /** Copies a new val with a readme. */
  async function copyVal(to: { baseUrl: string }, privacy: string, ...args: string[]) {
    const from = await serviceInProcess();
    await push(from.env, 'hello', 'a');
    await set(from.env, 'hello', { privacy, readme: 'long' });
    return copyFrom(from, to, 'hello', '--json', ...args);
  }

  const sent = { name: 'hello', code: 'a' };

  const refusing = (field: string) =>
    targetWith({
      write: ({ body }) =>
        field in body
          ? { status: 422, body: { message: `no ${field}` } }
          : { status: 201, body: { id: 'x', privacy: 'public', ...body } },
    });

  it('that refuses the readme gets the val without it, but with its privacy', async () => {
    const to = await refusing('readme');
    const result = await copyVal(to, 'private');
    expect(statuses(result)).toEqual(['hello created']);
    expect(result.stderr).toContain('without its readme, which');
    expect(to.bodies()).toEqual([
      { ...sent, readme: 'long', privacy: 'private' },
      { ...sent, privacy: 'private' },
    ]);
  });

  it('that refuses privacy gets a public val without it, with a warning', async () => {
    const to = await refusing('privacy');
    const result = await copyVal(to, 'public');
    expect(statuses(result)).toEqual(['hello created']);
    expect(result.stderr).toContain('without its privacy');
    expect(to.bodies().at(-1)).toEqual(sent);
  });

  it('that refuses privacy gets no private val', async () => {
    const to = await refusing('privacy');
    expect(await copyVal(to, 'private')).toMatchObject({ exit: 6, error: { kind: 'refused' } });
    expect(to.bodies().every(({ privacy }) => privacy === 'private')).toBe(true);
  });

  it.each([
    { what: 'says so', answer: { id: testId, privacy: 'public' } },
    { what: 'says it with `public`', answer: { id: testId, public: true } },
    { what: 'says so when the val is read', answer: { id: testId } },
  ])('that makes the copy public and $what has the copy taken back', async ({ answer }) => {
    const from = await serviceInProcess();
    await push(from.env, 'hello', 'a', 'b');
    const to = await targetWith({
      list: [],
      read: () => ({ ...answer, privacy: 'public' }),
      write: () => ({ status: 201, body: answer }),
    });
    expect(await copyFrom(from, to, 'hello', '--versions', '--json')).toMatchObject({
      exit: 6,
      error: { message: expect.stringMatching(/hello is private, but its copy on .* was public, so it was/) },
    });
    expect(to.writes()).toEqual([
      { method: 'POST', path: '/v1/vals', body: { name: 'hello', code: 'a', privacy: 'private' } },
      { method: 'DELETE', path: `/v1/vals/${testId}` },
    ]);
  });

  it.each([
    { what: 'that cannot be deleted', answer: { id: testId, privacy: 'public' }, list: [] },
    { what: 'without an id', answer: { privacy: 'public' }, list: [] },
    { what: 'that replaced an unknown val', answer: { id: testId, privacy: 'public' }, list: undefined },
  ])('that keeps a public copy $what has a part of the copy', async ({ answer, list }) => {
    const to = await targetWith({
      ...(list && { list }),
      write: ({ method }) => ({ status: method === 'DELETE' ? 403 : 200, body: answer }),
    });
    expect(await copyVal(to, 'private', '--force')).toMatchObject({
      exit: 9,
      error: { message: expect.stringContaining('could not be taken back') },
    });
  });

  it('that makes an existing val public with a new version has its old code and fields back', async () => {
    const { from, to } = await twoServices();
    await push(from.env, 'hello', 'a', 'b', 'c');
    await set(from.env, 'hello', { privacy: 'unlisted', readme: 'long' });
    await push(to.env, 'hello', 'a');
    await set(to.env, 'hello', { privacy: 'unlisted' });
    const careless = await frontOf(to, ({ method, path, body }) => {
      if (method !== 'POST' || !path.endsWith('/versions')) return undefined;
      return async (response) => {
        const sent = { ...JSON.parse(body), privacy: 'public' };
        response.end(JSON.stringify(await ask(to.env, method, path.replace('/v1', ''), sent)));
      };
    });
    const { exit } = await copyFrom(from, { ...careless, token: to.token }, 'hello', '--versions');
    expect(exit).toBe(6);
    expect(await record(to.env, 'hello')).toMatchObject({ code: 'a', readme: '', privacy: 'unlisted' });
    expect(await versions(to.env, 'hello')).toEqual(['a']);
  });

  it('that changes the readme and makes a copy less public causes warnings', async () => {
    const to = await targetWith({
      write: ({ body }) => ({ status: 201, body: { id: 'x', ...body, readme: 'short', privacy: 'private' } }),
    });
    const { exit, stderr } = await copyVal(to, 'unlisted');
    expect(exit).toBe(0);
    for (const field of ['readme', 'privacy']) expect(stderr).toContain(`hello has another ${field} on`);
  });

  it('that has the name already is a conflict, and --force overwrites the val by its name', async () => {
    const to = await targetWith({
      read: () => ({}),
      write: ({ method }) => (method === 'PUT' ? { body: { privacy: 'unlisted' } } : { status: 409 }),
    });
    expect(await copyVal(to, 'unlisted')).toMatchObject({
      exit: 5,
      error: { hint: expect.stringContaining('--force') },
    });
    expect(statuses(await copyVal(to, 'unlisted', '--force'))).toEqual(['hello pushed']);
    expect(to.writes().map(({ method }) => method)).toEqual(['POST', 'PUT']);
    expect(to.bodies().at(-1)).toEqual({ ...sent, readme: 'long', privacy: 'unlisted' });
  });

  it('that fails while it writes has an unknown outcome, and the next copy continues', async () => {
    const [from, to] = [await serviceInProcess(), await serviceInProcess()];
    await push(from.env, 'hello', 'a', 'b', 'c');
    let posts = 0;
    const flaky = await frontOf(to, ({ method }) => {
      if (method !== 'POST' || ++posts !== 2) return undefined;
      return (response) => void push(to.env, 'hello', 'b').then(() => response.writeHead(500).end());
    });
    const copy = () => copyFrom(from, { ...flaky, token: to.token }, 'hello', '--versions', '--json');
    expect(await copy()).toMatchObject({ exit: 8, error: { kind: 'unknown_outcome' } });
    expect(await versions(to.env, 'hello')).toEqual(['a', 'b']);
    expect(statuses(await copy())).toEqual(['hello pushed']);
    expect(await versions(to.env, 'hello')).toEqual(['a', 'b', 'c']);
  });

  it('that is away after the first version has a part of the copy (exit 9, not 7)', async () => {
    const from = await serviceInProcess();
    await push(from.env, 'hello', 'a', 'b');
    const to = await targetWith({
      list: [],
      write: ({ path }) =>
        path.endsWith('/versions')
          ? { status: 503 }
          : { status: 201, body: { id: testId, privacy: 'private' } },
    });
    expect(await copyFrom(from, to, 'hello', '--versions')).toMatchObject({
      exit: 9,
      stderr: expect.stringContaining('Older versions were copied before.'),
    });
  });
});
