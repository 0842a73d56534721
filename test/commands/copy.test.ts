import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { openStore } from '../../src/service/index.ts';
import { quickRetries } from '../support/clocks.ts';
import { folderOfVals, run, temporaryFolder, valNames } from '../support/program.ts';
import { type Reply, type Seen, scriptedService, testToken } from '../support/scripted-service.ts';
import { serviceInProcess } from '../support/service-in-process.ts';
import { outcomes, pushCode as push } from './pushes.ts';

type Env = Record<string, string>;

const testId = '00000000-0000-4000-8000-000000000000';

async function twoServices() {
  const from = await serviceInProcess();
  const file = join(temporaryFolder(), 'to.db');
  const to = await serviceInProcess(undefined, file);
  const env = { ...from.env, VALS_TO_TOKEN: to.token };
  const copy = (args: string[], more: Env = {}) =>
    run(['copy', ...args, '--to', more.TO ?? to.baseUrl], { env: { ...env, ...more } });
  return { from, to, file, env, copy };
}

const record = async (env: Env, name: string) =>
  JSON.parse((await run(['val', 'get', name, '--json'], { env })).stdout);

async function versions(env: Env, name: string): Promise<string[]> {
  const { stdout } = await run(['version', 'ls', name, '--json'], { env });
  const codes: string[] = [];
  for (const { version } of JSON.parse(stdout).reverse()) {
    codes.push((await run(['version', 'get', name, `${version}`, '--code'], { env })).stdout);
  }
  return codes;
}

const statuses = ({ stdout }: { stdout: string }) =>
  outcomes(stdout).map(({ name, status }) => `${name} ${status}`);

describe('the current code', () => {
  it('is copied with name, readme and privacy, and is unchanged the second time', async () => {
    const { from, to, copy } = await twoServices();
    await push(from.env, 'hello', '1', '2');
    await run(['val', 'set', 'hello', '--privacy', 'unlisted', '--readme', '-'], {
      env: from.env,
      input: 'r',
    });
    const first = await copy(['hello', '--json']);
    expect(first).toMatchObject({ exit: 0, stderr: '' });
    const there = await record(to.env, 'hello');
    expect(JSON.parse(first.stdout)).toEqual([
      { name: 'hello', status: 'created', id: there.id, version: 1 },
    ]);
    expect(there).toMatchObject({ code: '2', readme: 'r', privacy: 'unlisted', version: 1 });
    expect(statuses(await copy(['hello', '--json']))).toEqual(['hello unchanged']);
    await run(['val', 'set', 'hello', '--privacy', 'private'], { env: from.env });
    const { exit, stderr } = await copy(['hello']);
    expect({ exit, stderr }).toEqual({
      exit: 0,
      stderr: expect.stringContaining('hello has another privacy on'),
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
    expect(statuses(await copy(['hello', '--dry-run', '--json']))).toEqual(['hello failed']);
    expect(await copy(['hello', 'other', '--json'])).toMatchObject({ exit: 9 });
    const forced = await copy(['hello', '--force', '--json']);
    expect(JSON.parse(forced.stdout)).toMatchObject([{ status: 'pushed', version: 2, versionBefore: 1 }]);
    expect(await versions(to.env, 'hello')).toEqual(['there', 'here']);
  });

  it('of all vals is copied by one command, and --dry-run only plans it', async () => {
    const { from, to, copy } = await twoServices();
    const cwd = folderOfVals(valNames(130), (name) => `// ${name}`);
    expect(await run(['push', '.'], { cwd, env: from.env })).toMatchObject({ exit: 0 });
    const planned = JSON.parse((await copy(['--all', '--dry-run', '--json'])).stdout);
    expect(planned).toHaveLength(130);
    expect(planned[0]).toEqual({ name: expect.stringMatching(/^val\d+$/), status: 'planned' });
    expect(JSON.parse((await run(['ls', '--json'], { env: to.env })).stdout)).toEqual([]);
    const { exit, stdout } = await copy(['--all', '--json']);
    expect(exit).toBe(0);
    expect(outcomes(stdout).every(({ status }) => status === 'created')).toBe(true);
    expect(await record(to.env, 'val77')).toMatchObject({ code: '// val77', privacy: 'private' });
  });

  it('is copied from the embedded service too', async () => {
    const to = await serviceInProcess();
    const env = { VALS_LOCAL: '1', VALS_TO_TOKEN: to.token };
    const home = temporaryFolder();
    const local = (args: string[], input?: string) =>
      run(args, { env: { ...env, VALS_DATA_DIR: home }, ...(input && { input }) });
    await local(['push', '-', '--name', 'mine'], 'code');
    expect(statuses(await local(['copy', 'mine', '--to', to.baseUrl, '--json']))).toEqual(['mine created']);
    expect(await record(to.env, 'mine')).toMatchObject({ code: 'code' });
  });
});

describe('every version', () => {
  it('is copied in order, and equal versions in a row count as one', async () => {
    const { from, to, copy } = await twoServices();
    await push(from.env, 'hello', 'a', 'b', 'a', 'c');
    expect(statuses(await copy(['hello', '--versions', '--json']))).toEqual(['hello created']);
    expect(await versions(to.env, 'hello')).toEqual(['a', 'b', 'a', 'c']);
    expect(statuses(await copy(['hello', '--versions', '--json']))).toEqual(['hello unchanged']);
  });

  it('is copied after an interrupted copy too, even if the target already has the current code', async () => {
    const { from, to, copy } = await twoServices();
    await push(from.env, 'hello', 'a', 'b', 'a');
    await push(to.env, 'hello', 'a');
    const { stdout } = await copy(['hello', '--versions', '--json']);
    expect(JSON.parse(stdout)).toMatchObject([{ status: 'pushed', version: 3, versionBefore: 1 }]);
    expect(await versions(to.env, 'hello')).toEqual(['a', 'b', 'a']);
  });

  it('makes a public copy private before it gets code of a val that is private now', async () => {
    const { from, to, copy } = await twoServices();
    await push(from.env, 'hello', 'open');
    await run(['val', 'set', 'hello', '--privacy', 'public'], { env: from.env });
    await copy(['hello', '--versions']);
    expect(await record(to.env, 'hello')).toMatchObject({ privacy: 'public' });
    await run(['val', 'set', 'hello', '--privacy', 'private'], { env: from.env });
    await push(from.env, 'hello', 'secret');
    expect(statuses(await copy(['hello', '--versions', '--json']))).toEqual(['hello pushed']);
    expect(await record(to.env, 'hello')).toMatchObject({ code: 'secret', privacy: 'private' });
  });

  it.each([
    ['public', 'private', 'private'],
    ['unlisted', 'private', 'private'],
    ['public', 'unlisted', 'unlisted'],
    ['unlisted', 'public', 'unlisted'],
    ['private', 'unlisted', 'private'],
  ])('of a %s val makes a %s copy %s, also with --force', async (privacy, before, after) => {
    const { from, to, copy } = await twoServices();
    await push(from.env, 'hello', 'a', 'b');
    await push(to.env, 'hello', 'a', 'secret of the target');
    await run(['val', 'set', 'hello', '--privacy', privacy], { env: from.env });
    await run(['val', 'set', 'hello', '--privacy', before], { env: to.env });
    const { exit, stderr } = await copy(['hello', '--versions', '--force']);
    expect(exit).toBe(0);
    expect(stderr.includes('has another privacy')).toBe(after !== privacy);
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
    const result = await copy(['--all', '--versions', '--json'], { TO: `${to.baseUrl}/@acme` });
    expect(statuses(result)).toEqual(['hello created']);
    expect(await versions(space, 'hello')).toEqual(['a', 'b']);
    expect((await record(space, 'hello')).author.username).toBe('acme');
    await push(to.env, 'own', 'c');
    const within = await run(['copy', 'own', '--to', `${to.baseUrl}/@acme`, '--json'], {
      env: { ...to.env, VALS_TO_TOKEN: to.token },
    });
    expect(statuses(within)).toEqual(['own created']);
  });
});

describe('tokens', () => {
  it('the stored token of the target is used', async () => {
    const { from, to } = await twoServices();
    await push(from.env, 'hello', 'a');
    const home = temporaryFolder();
    const env = { VALS_CONFIG_DIR: home };
    await run(['login', '--base-url', to.baseUrl, '--with-token'], { env, input: to.token });
    const copied = await run(['copy', 'hello', '--to', to.baseUrl, '--json'], {
      env: { ...env, ...from.env },
    });
    expect(statuses(copied)).toEqual(['hello created']);
  });

  it('the current token is not sent to another service', async () => {
    const from = await serviceInProcess();
    await push(from.env, 'hello', 'a');
    const to = await scriptedService([]);
    const refused = await run(['copy', 'hello', '--to', to.baseUrl, '--json'], { env: from.env });
    expect(refused).toMatchObject({ exit: 4, stdout: '', error: { kind: 'auth' } });
    expect(refused.stderr).toContain('VALS_TO_TOKEN');
    expect(to.requests).toEqual([]);
    const env = { ...from.env, VALS_TO_TOKEN: 'wrong_token_of_the_target' };
    const answers = await scriptedService([], ({ headers }) => ({
      status: 401,
      body: { message: `bad ${headers.authorization}` },
    }));
    const wrong = await run(['copy', 'hello', '--to', answers.baseUrl, '--json'], { env });
    expect(wrong).toMatchObject({
      exit: 4,
      error: { kind: 'auth', hint: expect.stringContaining('VALS_TO_TOKEN') },
    });
    expect(wrong.stdout + wrong.stderr).not.toContain('wrong_token_of_the_target');
    expect(answers.requests[0]?.headers.authorization).toBe('Bearer wrong_token_of_the_target');
  });
});

it('a source that answers with another name than the list overwrites no other val', async () => {
  const to = await serviceInProcess();
  await push(to.env, 'prod', 'precious');
  const from = await scriptedService([], ({ path }) => {
    if (path === '/v1/me') return { body: { id: 'u' } };
    if (path.startsWith('/v1/users/')) return { body: { data: [{ id: 'x', name: 'hello' }], links: {} } };
    return { body: { id: 'x', name: 'prod', code: 'evil', privacy: 'public' } };
  });
  const env = { ...from.env, VALS_TO_TOKEN: to.token };
  expect(await run(['copy', 'hello', '--force', '--to', to.baseUrl], { env })).toMatchObject({ exit: 5 });
  expect(await record(to.env, 'prod')).toMatchObject({ code: 'precious', privacy: 'private' });
});

describe.each([
  { what: 'no versions', list: [] },
  { what: 'versions without numbers', list: [{ code: 'a' }] },
])('a service that lists $what', ({ list }) => {
  it('keeps its code, unless the copy has --force', async () => {
    const from = await serviceInProcess();
    await push(from.env, 'hello', 'a', 'b');
    const to = await scriptedService([], ({ method, path }) => {
      if (path === '/v1/me') return { body: { id: 'u' } };
      if (path.startsWith('/v1/users/'))
        return { body: { data: [{ id: testId, name: 'hello' }], links: {} } };
      if (method === 'GET' && path.endsWith('/versions')) return { body: list };
      return { body: { id: testId, name: 'hello', code: 'precious' } };
    });
    const env = { ...from.env, VALS_TO_TOKEN: 'test-token' };
    const args = ['copy', 'hello', '--versions', '--to', to.baseUrl];
    const posts = () =>
      to.requests.filter(({ method }) => method !== 'GET').map(({ body }) => JSON.parse(body));
    expect(await run(args, { env })).toMatchObject({ exit: 5 });
    expect(posts()).toEqual([]);
    expect(await run([...args, '--force'], { env })).toMatchObject({ exit: 0 });
    expect(posts()).toMatchObject([{ code: 'a' }, { code: 'b' }]);
  });

  it('is copied with its current code', async () => {
    const to = await serviceInProcess();
    const from = await scriptedService([], ({ path }) => ({
      body: path.endsWith('/versions') ? list : { id: testId, name: 'hello', code: 'now' },
    }));
    const env = { ...from.env, VALS_TO_TOKEN: to.token };
    const copied = await run(['copy', testId, '--versions', '--json', '--to', to.baseUrl], { env });
    expect(statuses(copied)).toEqual(['hello created']);
    expect(await versions(to.env, 'hello')).toEqual(['now']);
  });
});

describe('a source whose current code is an older version', () => {
  const versionCodes = ['a', 'b', 'c'];
  const source = (current: () => string) =>
    scriptedService([], ({ path }) => {
      if (path.endsWith('/versions')) return { body: versionCodes.map((_code, version) => ({ version })) };
      const [version] = /(?<=versions\/)\d$/.exec(path) ?? [];
      const code = version === undefined ? current() : versionCodes[Number(version)];
      return { body: { id: testId, name: 'hello', code } };
    });

  it('is copied with that code as the last version, and is unchanged the second time', async () => {
    const to = await serviceInProcess();
    const from = await source(() => 'b');
    const env = { ...from.env, VALS_TO_TOKEN: to.token };
    const args = ['copy', testId, '--versions', '--json', '--to', to.baseUrl];
    expect(JSON.parse((await run(args, { env })).stdout)).toMatchObject([{ status: 'created', version: 4 }]);
    expect(await versions(to.env, 'hello')).toEqual(['a', 'b', 'c', 'b']);
    expect(statuses(await run(args, { env }))).toEqual(['hello unchanged']);
  });

  it('only because a new version was made meanwhile is copied with the new version as the last one', async () => {
    const to = await serviceInProcess();
    let reads = 0;
    const from = await source(() => (reads++ === 0 ? 'b' : 'c'));
    const env = { ...from.env, VALS_TO_TOKEN: to.token };
    const args = ['copy', testId, '--versions', '--to', to.baseUrl];
    expect(await run(args, { env })).toMatchObject({ exit: 0 });
    expect(await versions(to.env, 'hello')).toEqual(['a', 'b', 'c']);
  });
});

it.each(['name', 'privacy', 'readme', 'code'])(
  'a source that sends the token as the %s of a val does not make vals send the token to the target',
  async (field) => {
    const from = await scriptedService([], () => ({
      body: { id: testId, name: 'hello', code: 'a', privacy: 'public', [field]: testToken },
    }));
    const to = await scriptedService([], ({ method, path }) =>
      path === '/v1/me' ? { body: { id: 'u' } } : { body: method === 'GET' ? { data: [], links: {} } : {} },
    );
    const env = { ...from.env, VALS_TO_TOKEN: 'token-of-the-target' };
    const result = await run(['copy', testId, '--to', to.baseUrl], { env });
    expect(result).toMatchObject({ exit: 10, stderr: expect.stringContaining(`The ${field} contains`) });
    expect(JSON.stringify(to.requests)).not.toContain(testToken);
  },
);

it('a source whose version number leads to another address is refused', async () => {
  const to = await serviceInProcess();
  const from = await scriptedService([], ({ path }) =>
    path.endsWith('/versions')
      ? { body: [{ version: '../../other' }] }
      : { body: { id: 'x', name: 'hello', code: 'a' } },
  );
  const args = ['copy', testId, '--versions', '--to', to.baseUrl];
  expect(await run(args, { env: { ...from.env, VALS_TO_TOKEN: to.token } })).toMatchObject({ exit: 11 });
  expect(from.requests.map(({ path }) => path)).toEqual([
    `/v1/vals/${testId}`,
    `/v1/vals/${testId}/versions`,
  ]);
});

it.each([
  [['copy', 'hello'], '--to'],
  [['copy', '--to', 'https://vals.example.com'], 'No val'],
  [['copy', 'hello', '--all', '--to', 'https://vals.example.com'], 'no names can be given'],
  [['copy', 'hello', '--to', 'nonsense'], '--to'],
])('vals copy refuses %j', async (args, message) => {
  const { env } = await serviceInProcess();
  await push(env, 'hello', 'a');
  const result = await run(args, { env });
  expect(result).toMatchObject({ exit: 2, stdout: '' });
  expect(result.stderr).toContain(message);
});

it('vals copy refuses to copy from a service to itself', async () => {
  const { from, copy } = await twoServices();
  await push(from.env, 'hello', 'a');
  expect(await copy(['hello'], { TO: `${from.baseUrl}/v1/` })).toMatchObject({ exit: 2 });
});

describe('a target with few features', () => {
  const creates =
    (onCreate: (body: Record<string, unknown>) => Reply) =>
    ({ method, path, body }: Seen): Reply => {
      if (path === '/v1/me') return { body: { id: 'me' } };
      return method === 'GET' ? { status: 404 } : onCreate(JSON.parse(body));
    };

  async function copyTo(service: { baseUrl: string }, ...args: string[]) {
    return copyVal(service, 'unlisted', ...args);
  }

  async function copyVal(service: { baseUrl: string }, privacy: string, ...args: string[]) {
    const from = await serviceInProcess();
    await push(from.env, 'hello', 'a');
    await run(['val', 'set', 'hello', '--privacy', privacy, '--readme', '-'], {
      env: from.env,
      input: 'long',
    });
    return run(['copy', 'hello', '--to', service.baseUrl, '--json', ...args], {
      env: { ...from.env, VALS_TO_TOKEN: 't' },
    });
  }

  const sentFields = ({ requests }: { requests: readonly Seen[] }) =>
    requests
      .filter(({ method }) => method === 'POST')
      .map(({ body }) => {
        const { readme, privacy } = JSON.parse(body);
        return { ...(readme && { readme }), ...(privacy && { privacy }) };
      });

  const refuses = (field: string) =>
    scriptedService(
      [],
      creates((body) =>
        field in body
          ? { status: 422, body: { message: `no ${field}` } }
          : { status: 201, body: { id: 'x', privacy: 'public', ...body } },
      ),
    );

  it.each(['private', 'unlisted', 'public'])(
    'that refuses the readme gets the %s val without it, but with its privacy',
    async (privacy) => {
      const service = await refuses('readme');
      const result = await copyVal(service, privacy);
      expect(result.exit).toBe(0);
      expect(statuses(result)).toEqual(['hello created']);
      expect(result.stderr).toContain('without its readme, which');
      expect(result.stderr).not.toContain('privacy');
      expect(sentFields(service)).toEqual([{ readme: 'long', privacy }, { privacy }]);
    },
  );

  it('that refuses privacy gets a public val without it, with a warning', async () => {
    const service = await refuses('privacy');
    const result = await copyVal(service, 'public');
    expect(result.exit).toBe(0);
    expect(statuses(result)).toEqual(['hello created']);
    expect(result.stderr).toContain('without its privacy');
    expect(sentFields(service).at(-1)).toEqual({});
  });

  it.each(['private', 'unlisted'])('that refuses privacy gets no %s val', async (privacy) => {
    const service = await refuses('privacy');
    const result = await copyVal(service, privacy);
    expect(result).toMatchObject({ exit: 6, error: { kind: 'refused' } });
    expect(statuses(result)).toEqual(['hello failed']);
    expect(result.stderr).toContain('no privacy');
    expect(result.stderr).toContain(`does not copy a val that is ${privacy} without its privacy`);
    expect(sentFields(service)).toEqual([{ readme: 'long', privacy }, { privacy }]);
  });

  it.each([
    { public: false, privacy: 'private' },
    { public: true, privacy: 'public' },
  ])('gets the privacy of a val whose service sends only $public for public', async (val) => {
    const from = await scriptedService([], () => ({
      body: { id: testId, name: 'hello', code: 'a', public: val.public },
    }));
    const service = await scriptedService(
      [],
      creates((body) => ({ status: 201, body: { id: 'x', ...body } })),
    );
    const env = { ...from.env, VALS_TO_TOKEN: 't' };
    expect(await run(['copy', testId, '--to', service.baseUrl], { env })).toMatchObject({ exit: 0 });
    expect(sentFields(service)).toEqual([{ privacy: val.privacy }]);
  });

  it.each([
    ['privacy', { privacy: 'public' }],
    ['public', { privacy: undefined, public: true }],
  ])('that ignores privacy gets no other private code, if its answer has %s', async (_field, shown) => {
    const from = await serviceInProcess();
    await push(from.env, 'hello', 'a', 'b');
    const cwd = folderOfVals(valNames(60), (name) => `// ${name}`);
    await run(['push', '.'], { cwd, env: from.env });
    const service = await scriptedService(
      [],
      creates((body) => ({ status: 201, body: { id: 'x', ...body, ...shown } })),
    );
    const env = { ...from.env, VALS_TO_TOKEN: 't' };
    const args = ['--to', service.baseUrl, '--versions', '--json'];
    const one = await run(['copy', 'hello', ...args], { env });
    expect(one).toMatchObject({ exit: 9, error: { message: expect.stringContaining('is public, but') } });
    expect(sentFields(service)).toEqual([{ privacy: 'private' }]);
    const all = await run(['copy', '--all', ...args], { env });
    expect(all.exit).toBe(9);
    expect(all.stdout).toContain('ignored the privacy of');
    expect(sentFields(service).length).toBeLessThan(40);
  });

  it.each(['no', 'a private'])(
    'that makes a val public with its next version gets no other version, if it had %s copy',
    async (before) => {
      const from = await serviceInProcess();
      await push(from.env, 'hello', 'a', 'b', 'c', 'd');
      const val = { id: testId, name: 'hello', code: 'a', privacy: 'private', version: 1 };
      const service = await scriptedService([], ({ method, path }) => {
        if (path === '/v1/me') return { body: { id: 'u' } };
        if (path.startsWith('/v1/users/'))
          return { body: before === 'no' || !path.includes('offset=0') ? [] : [val] };
        if (method === 'GET') return { body: path.endsWith('/versions') ? [{ version: 1 }] : val };
        return { status: 201, body: path.endsWith('/versions') ? { ...val, privacy: 'public' } : val };
      });
      const args = ['copy', 'hello', '--versions', '--to', service.baseUrl];
      const result = await run(args, { env: { ...from.env, VALS_TO_TOKEN: 't' } });
      expect(result).toMatchObject({
        exit: 9,
        stderr: expect.stringContaining('is public, but should be private'),
      });
      const versions = service.requests.filter(
        ({ method, path }) => method === 'POST' && path.endsWith('/versions'),
      );
      expect(versions.map(({ body }) => JSON.parse(body).code)).toEqual(['b']);
    },
  );

  it('that makes a copy less public causes a warning', async () => {
    const service = await scriptedService(
      [],
      creates((body) => ({ status: 201, body: { id: 'x', ...body, privacy: 'private' } })),
    );
    const result = await copyTo(service);
    expect(result).toMatchObject({
      exit: 0,
      stderr: expect.stringContaining('hello has another privacy on'),
    });
  });

  it('that has the name already is a conflict, and --force overwrites the val by its name', async () => {
    const service = await scriptedService(
      [],
      creates(() => ({ status: 409 })),
    );
    expect(await copyTo(service)).toMatchObject({ exit: 5 });
    const forced = await scriptedService([], (seen) =>
      seen.method === 'PUT' ? { status: 204 } : creates(() => ({ status: 409 }))(seen),
    );
    expect(statuses(await copyTo(forced, '--force'))).toEqual(['hello pushed']);
    expect(forced.requests.at(-1)).toMatchObject({ method: 'PUT', path: '/v1/vals' });
  });

  it('that cannot list its vals gets the privacy of a private val with the code, and no code if it refuses the privacy', async () => {
    const service = await scriptedService([], (seen) => {
      if (seen.method === 'PUT') return { status: 'privacy' in JSON.parse(seen.body) ? 422 : 204 };
      return creates(() => ({ status: 409 }))(seen);
    });
    expect(await copyVal(service, 'private', '--force')).toMatchObject({ exit: 6 });
    const puts = service.requests
      .filter(({ method }) => method === 'PUT')
      .map(({ body }) => JSON.parse(body));
    expect(puts).toEqual([{ name: 'hello', code: 'a', privacy: 'private' }]);
  });

  describe('that ignores the privacy of a new version', () => {
    /** The val is public at first. */
    async function ignoringService(answerToPut: { status: number }) {
      let privacy = 'public';
      return scriptedService([], ({ method, path, body }) => {
        if (path === '/v1/me') return { body: { id: 'u' } };
        if (path.startsWith('/v1/users/'))
          return { body: { data: [{ id: testId, name: 'hello' }], links: {} } };
        if (method === 'PUT' && answerToPut.status === 204) privacy = JSON.parse(body).privacy;
        if (method === 'PUT') return answerToPut;
        return { body: { id: testId, name: 'hello', code: 'open', privacy } };
      });
    }
    const codes = ({ requests }: { requests: readonly Seen[] }) =>
      requests.filter(({ method }) => method === 'POST').map(({ body }) => JSON.parse(body).code);

    it('gets private code only after its public val was made private', async () => {
      const service = await ignoringService({ status: 204 });
      expect(await copyVal(service, 'private', '--force')).toMatchObject({ exit: 0, stderr: '' });
      const writes = service.requests.filter(({ method }) => method !== 'GET').map(({ method }) => method);
      expect(writes).toEqual(['PUT', 'POST']);
      expect(codes(service)).toEqual(['a']);
    });

    it('gets no private code if its public val stays public', async () => {
      const service = await ignoringService({ status: 404 });
      const result = await copyVal(service, 'private', '--force');
      expect(result).toMatchObject({ exit: 6, error: { kind: 'refused' } });
      expect(result.stderr).toContain('does not make it private');
      expect(codes(service)).toEqual(['open']);
    });
  });

  it('that cannot list its vals gets a new private val with its privacy, even with --force', async () => {
    const service = await scriptedService(
      [],
      creates((body) => ({ status: 201, body: { id: 'x', privacy: 'public', ...body } })),
    );
    const result = await copyVal(service, 'private', '--force');
    expect(result).toMatchObject({ exit: 0, stderr: '' });
    expect(statuses(result)).toEqual(['hello created']);
    expect(sentFields(service)).toEqual([{ readme: 'long', privacy: 'private' }]);
    expect(service.requests.filter(({ method }) => method === 'PUT')).toEqual([]);
  });

  it('that fails while it writes has an unknown outcome, and the next copy continues', async () => {
    const [from, to] = [await serviceInProcess(), await serviceInProcess()];
    await push(from.env, 'hello', 'a', 'b', 'c');
    let posts = 0;
    const flaky = await scriptedService([], ({ method, path, body }) => (response) => {
      const headers = { authorization: `Bearer ${to.token}`, 'content-type': 'application/json' };
      const sent = { method, headers, ...(body !== '' && { body }) };
      fetch(`${to.baseUrl}${path}`, sent).then(async (answer) => {
        const isLost = method === 'POST' && ++posts === 2;
        response.writeHead(isLost ? 500 : answer.status, { 'content-type': 'application/json' });
        response.end(isLost ? '' : await answer.text());
      });
    });
    const env = { ...from.env, VALS_TO_TOKEN: to.token };
    const args = ['copy', 'hello', '--versions', '--to', flaky.baseUrl, '--json'];
    expect(await run(args, { env })).toMatchObject({ exit: 8, error: { kind: 'unknown_outcome' } });
    expect(await versions(to.env, 'hello')).toEqual(['a', 'b']);
    expect(statuses(await run(args, { env }))).toEqual(['hello pushed']);
    expect(await versions(to.env, 'hello')).toEqual(['a', 'b', 'c']);
  });

  it('that is away after the first version has a part of the copy (exit 9, not 7)', async () => {
    const from = await serviceInProcess();
    await push(from.env, 'hello', 'a', 'b');
    const to = await scriptedService([], ({ method, path }) => {
      if (path === '/v1/me') return { body: { id: 'u' } };
      if (method === 'GET') return { body: { data: [], links: {} } };
      return path.endsWith('/versions') ? { status: 503 } : { status: 201, body: { id: testId } };
    });
    const env = { ...from.env, VALS_TO_TOKEN: 'test-token' };
    const args = ['copy', 'hello', '--versions', '--to', to.baseUrl];
    const result = await run(args, { env, clock: quickRetries });
    expect(result).toMatchObject({
      exit: 9,
      stderr: expect.stringContaining('Older versions were copied before.'),
    });
  });

  it('a source without a list says why --all cannot work', async () => {
    const source = await scriptedService([], ({ path }) =>
      path === '/v1/me' ? { body: { id: 'u1' } } : { status: 404 },
    );
    const env = { ...source.env, VALS_TO_TOKEN: 't' };
    const result = await run(['copy', '--all', '--to', 'http://127.0.0.1:9'], { env });
    expect(result).toMatchObject({ exit: 2 });
    expect(result.stderr).toContain('The service cannot list your vals');
  });
});
