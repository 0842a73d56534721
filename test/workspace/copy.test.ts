import { describe, expect, it } from 'vitest';
import { outcomes, pushCode } from '../core/commands/pushes.ts';
import { frontOf } from '../service/support/service-in-process.ts';
import { quickRetries } from '../support/clocks.ts';
import { run, temporaryFolder } from '../support/program.ts';
import { type Reply, type Seen, scriptedService, testToken } from '../support/scripted-service.ts';
import { type Env, newService, type Service } from './support.ts';

const testId = '00000000-0000-4000-8000-000000000000';

/** Each test uses vals of other names. */
const [from, to] = await Promise.all([newService(), newService()]);

const copy = (args: string[]) =>
  run(['copy', ...args, '--to', to.baseUrl], { env: { ...from.env, VALS_TO_TOKEN: to.token } });

async function push(service: Service, name: string, ...codes: string[]): Promise<void> {
  for (const code of codes) await service.edit(name, code);
}

const idOf = async (service: Service, name: string) =>
  (await service.vals()).find((val) => val.name === name)?.id ?? '';

const record = async (service: Service, name: string) =>
  service.ask('GET', `/v1/vals/${await idOf(service, name)}`);

const set = async (service: Service, name: string, fields: object) =>
  service.ask('PUT', `/v1/vals/${await idOf(service, name)}`, fields);

const versions = async (service: Service, name: string) => service.versions(await idOf(service, name));

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
    await push(from, 'hello', '1', '2');
    await set(from, 'hello', { privacy: 'unlisted', readme: 'long' });
    const first = await copy(['hello', '--json']);
    expect(first).toMatchObject({ exit: 0, stderr: '' });
    const there = await record(to, 'hello');
    expect(JSON.parse(first.stdout)).toEqual([
      { name: 'hello', status: 'created', id: await idOf(to, 'hello'), version: 1 },
    ]);
    expect(there).toMatchObject({ code: '2', readme: 'long', privacy: 'unlisted', version: 1 });
    expect(statuses(await copy(['local/hello', '--json']))).toEqual(['hello unchanged']);
    await set(from, 'hello', { privacy: 'private' });
    const { exit, stderr } = await copy(['hello']);
    expect({ exit, stderr }).toEqual({
      exit: 0,
      stderr: expect.stringContaining('unlike the original'),
    });
  });

  it('is not sent over other code without --force', async () => {
    await push(from, 'both', 'here');
    await push(from, 'other', 'same');
    await push(to, 'both', 'there');
    const refused = await copy(['both', '--json']);
    const hint = `To see the code there, run \`vals val get both --code --base-url ${to.baseUrl}\`. To overwrite it, run \`vals copy both --to ${to.baseUrl} --force\`.`;
    expect(refused).toMatchObject({ exit: 5, error: { kind: 'conflict', hint } });
    expect(statuses(refused)).toEqual(['both failed']);
    expect(await copy(['both', '--dry-run'])).toMatchObject({ exit: 5 });
    expect(await copy(['both', 'other'])).toMatchObject({ exit: 9 });
    const forced = await copy(['both', '--force', '--json']);
    expect(JSON.parse(forced.stdout)).toMatchObject([{ status: 'pushed', version: 2, versionBefore: 1 }]);
    expect(await versions(to, 'both')).toEqual(['there', 'here']);
  });

  it.each([
    { name: 'promoted', flags: [], codesThere: ['b', 'd', 'fix', 'e'] },
    {
      name: 'promotedWhole',
      flags: ['--versions'],
      codesThere: ['b', 'c', 'd', 'fix', 'a', 'b', 'c', 'd', 'e'],
    },
  ])('replaces an older version of the val without --force $flags', async ({ name, flags, codesThere }) => {
    await push(from, name, 'a', 'b', 'c');
    await push(to, name, 'b');
    await push(from, name, 'd');
    await set(from, name, { readme: 'long' });
    expect(statuses(await copy([name, ...flags, '--json']))).toEqual([`${name} pushed`]);
    expect(await record(to, name)).toMatchObject({ code: 'd', readme: 'long' });
    await push(to, name, 'fix');
    await push(from, name, 'e');
    expect(await copy([name, ...flags])).toMatchObject({ exit: 5 });
    expect((await copy([name, ...flags, '--force'])).exit).toBe(0);
    expect(await versions(to, name)).toEqual(codesThere);
  });

  it('replaces no code that somebody sends to the target meanwhile', async () => {
    await push(from, 'race', 'a', 'b');
    await push(to, 'race', 'a');
    const front = await frontOf(from.process, ({ path }) =>
      path.endsWith('/versions')
        ? (response) =>
            void push(to, 'race', 'fix').then(() => response.end(JSON.stringify([{ version: 1 }])))
        : undefined,
    );
    expect(await copyFrom(front, to, 'race')).toMatchObject({ exit: 5 });
    expect(await record(to, 'race')).toMatchObject({ code: 'fix' });
  });

  it('of all vals of the embedded service is copied by one command, and --dry-run only plans it', async () => {
    const local = { VALS_LOCAL: '1', VALS_DATA_DIR: temporaryFolder(), VALS_BASE_URL: to.baseUrl };
    for (const name of ['mine1', 'mine2']) await pushCode(local, name, 'code');
    const planned = await copyFrom({ env: local }, to, '--all', '--dry-run', '--json');
    expect(statuses(planned).sort()).toEqual(['mine1 planned', 'mine2 planned']);
    expect(await idOf(to, 'mine1')).toBe('');
    const copied = await copyFrom({ env: local }, to, '--all', '--json');
    expect(statuses(copied).sort()).toEqual(['mine1 created', 'mine2 created']);
    expect(await record(to, 'mine1')).toMatchObject({ code: 'code', privacy: 'private' });
  });
});

describe('every version', () => {
  it('is copied in order, also after an interrupted copy, and is unchanged the second time', async () => {
    const args = ['ordered', '--versions', '--json'];
    await push(from, 'ordered', 'a', 'b', 'a');
    await push(to, 'ordered', 'a');
    const { stdout } = await copy(args);
    expect(JSON.parse(stdout)).toMatchObject([{ status: 'pushed', version: 3, versionBefore: 1 }]);
    expect(await versions(to, 'ordered')).toEqual(['a', 'b', 'a']);
    expect(statuses(await copy(args))).toEqual(['ordered unchanged']);
  });

  it.each([
    ['public', 'private', 'private', 'is private on'],
    ['private', 'public', 'private', 'changed from public to private on'],
  ])('of a %s val makes a %s copy %s, also with --force', async (privacy, before, after, warning) => {
    const name = `${privacy}Val`;
    await push(from, name, 'a', 'b');
    await push(to, name, 'a', 'secret of the target');
    await set(from, name, { privacy });
    await set(to, name, { privacy: before });
    const { exit, stderr } = await copy([name, '--versions', '--force']);
    expect({ exit, stderr }).toEqual({ exit: 0, stderr: expect.stringContaining(`${name} ${warning}`) });
    expect(await record(to, name)).toMatchObject({ code: 'b', privacy: after });
    expect(await versions(to, name)).toEqual(['a', 'secret of the target', 'b']);
  });

  /** A service with these versions, whose current code is another question. */
  const sourceOf = (codes: readonly string[], current: string) =>
    sourceWith((path) => {
      if (path.endsWith('/versions')) return codes.map((_code, version) => ({ version }));
      const [version] = /(?<=versions\/)\d$/.exec(path) ?? [];
      return { id: testId, name: 'odd', code: version === undefined ? current : codes[Number(version)] };
    });

  it.each([
    // Equal versions in a row count as one, since services collapse them.
    { codes: ['a', 'a', 'b', 'c'], current: 'b', copied: ['a', 'b', 'c', 'b'] },
    { codes: [], current: 'now', copied: ['now'] },
  ])('of $codes is copied with the current code as the last one', async ({ codes, current, copied }) => {
    const target = await newService();
    const source = await sourceOf(codes, current);
    for (const status of ['created', 'unchanged'])
      expect(statuses(await copyFrom(source, target, testId, '--versions', '--json'))).toEqual([
        `odd ${status}`,
      ]);
    expect(await versions(target, 'odd')).toEqual(copied);
  });
});

describe('tokens', () => {
  it('the stored token of the target is used', async () => {
    await push(from, 'stored', 'a');
    const env = { VALS_CONFIG_DIR: temporaryFolder() };
    await run(['login', '--base-url', to.baseUrl, '--with-token'], { env, input: to.token });
    const copied = await run(['copy', 'stored', '--to', to.baseUrl, '--json'], {
      env: { ...env, ...from.env },
    });
    expect(statuses(copied)).toEqual(['stored created']);
  });

  it('the current token is not sent to another service', async () => {
    await push(from, 'secret', 'a');
    const other = await scriptedService([], ({ headers }) => ({
      status: 401,
      body: { message: `bad ${headers.authorization}` },
    }));
    const refused = await run(['copy', 'secret', '--to', other.baseUrl, '--json'], { env: from.env });
    expect(refused).toMatchObject({ exit: 4, stdout: '', error: { kind: 'auth' } });
    expect(refused.stderr).toContain('VALS_TO_TOKEN');
    expect(other.requests).toEqual([]);
    const wrong = await copyFrom(from, { ...other, token: 'wrong_token_of_the_target' }, 'secret', '--json');
    expect(wrong).toMatchObject({
      exit: 4,
      error: { kind: 'auth', hint: expect.stringContaining('VALS_TO_TOKEN') },
    });
    expect(wrong.stdout + wrong.stderr).not.toContain('wrong_token_of_the_target');
    expect(other.requests[0]?.headers.authorization).toBe('Bearer wrong_token_of_the_target');
  });

  it.each([
    { field: 'readme', token: testToken },
    { field: 'code', token: 'token-of-the-target' },
  ])('in the $field of a val are not sent', async ({ field, token }) => {
    const target = await targetWith({ list: [], write: () => ({ body: {} }) });
    const val = { id: testId, name: 'hello', code: 'a', privacy: 'public', [field]: token };
    expect(await copyFrom(await sourceWith(() => val), target, testId, '--dry-run')).toMatchObject({
      exit: 10,
      stderr: expect.stringContaining(`The ${field} contains`),
    });
  });

  it('in a later version of a val are not sent', async () => {
    const source = await sourceWith((path) => {
      if (path.endsWith('/versions')) return [{ version: 0 }, { version: 1 }];
      return { id: testId, name: 'hello', code: path.endsWith('/0') ? 'a' : testToken, privacy: 'public' };
    });
    const target = await targetWith({ list: [], write: () => ({ body: { id: testId } }) });
    expect(await copyFrom(source, target, testId, '--versions')).toMatchObject({
      exit: 10,
      stderr: expect.stringContaining('Older versions were copied before.'),
    });
    expect(target.bodies().map(({ code }) => code)).toEqual(['a']);
  });
});

it('a source that answers with another name than the list overwrites no other val', async () => {
  await push(to, 'prod', 'precious');
  const source = await sourceWith((path) => {
    if (path === '/v1/me') return { id: 'u' };
    if (path.startsWith('/v1/users/')) return { data: [{ id: 'x', name: 'listed' }], links: {} };
    return { id: 'x', name: 'prod', code: 'evil', privacy: 'public' };
  });
  await copyFrom(source, to, 'listed', '--force');
  expect(await record(to, 'prod')).toMatchObject({ code: 'precious', privacy: 'private' });
});

it('vals copy refuses a command line without a val or a target, and the same service as the target', async () => {
  const { env, baseUrl } = from;
  await push(from, 'hello', '2');
  const to = ['--to', 'https://vals.example.com'];
  for (const [args, message] of [
    [['hello'], '--to'],
    [to, 'No val'],
    [['hello', '--all', ...to], 'no names can be given'],
    [['hello', '--to', `${baseUrl}/v1/`], 'to the same service'],
  ] as const) {
    const { exit, stdout, stderr } = await run(['copy', ...args], { env });
    expect({ exit, stdout }).toEqual({ exit: 2, stdout: '' });
    expect(stderr).toContain(message);
  }
  const withoutList = await frontOf(from.process, ({ path }) =>
    path.startsWith('/v1/users/') ? { status: 404 } : undefined,
  );
  expect(await copyFrom(withoutList, { baseUrl: 'http://127.0.0.1:9' }, '--all')).toMatchObject({
    exit: 2,
    stderr: expect.stringContaining('The service cannot list your vals'),
  });
});

describe('a target', () => {
  /** Copies a new val with a readme. */
  async function copyVal(target: { baseUrl: string }, privacy: string, ...args: string[]) {
    await push(from, 'plain', 'a');
    await set(from, 'plain', { privacy, readme: 'long' });
    return copyFrom(from, target, 'plain', '--json', ...args);
  }

  const sent = { name: 'plain', code: 'a' };

  const refusing = (field: string) =>
    targetWith({
      write: ({ body }) =>
        field in body
          ? { status: 422, body: { message: `no ${field}` } }
          : { status: 201, body: { id: 'x', privacy: 'public', ...body } },
    });

  it('that refuses the readme gets the val without it, but with its privacy', async () => {
    const target = await refusing('readme');
    const result = await copyVal(target, 'private');
    expect(statuses(result)).toEqual(['plain created']);
    expect(result.stderr).toContain('plain was copied without its readme, which');
    expect(target.bodies()).toEqual([
      { ...sent, readme: 'long', privacy: 'private' },
      { ...sent, privacy: 'private' },
    ]);
  });

  it('that refuses privacy gets a public val without it, and no private val', async () => {
    const target = await refusing('privacy');
    expect(await copyVal(target, 'private')).toMatchObject({ exit: 6, error: { kind: 'refused' } });
    expect(target.bodies().every(({ privacy }) => privacy === 'private')).toBe(true);
    const result = await copyVal(target, 'public');
    expect(statuses(result)).toEqual(['plain created']);
    expect(result.stderr).toContain('plain was copied without its privacy, which');
    expect(target.bodies().at(-1)).toEqual(sent);
  });

  it.each([
    { what: 'says so', answer: { id: testId, privacy: 'public' } },
    { what: 'says so when the val is read', answer: { id: testId } },
  ])('that makes the copy public and $what has the copy taken back', async ({ answer }) => {
    await push(from, 'hidden', 'a', 'b');
    const target = await targetWith({
      list: [],
      read: () => ({ ...answer, privacy: 'public' }),
      write: () => ({ status: 201, body: answer }),
    });
    expect(await copyFrom(from, target, 'hidden', '--versions', '--json')).toMatchObject({
      exit: 6,
      error: {
        message: expect.stringMatching(/hidden is private, but its copy on .* was public, so it was/),
      },
    });
    expect(target.writes()).toMatchObject([
      { method: 'POST', path: '/v1/vals', body: { name: 'hidden', privacy: 'private' } },
      { method: 'DELETE', path: `/v1/vals/${testId}` },
    ]);
  });

  it('that keeps a public copy has a part of the copy', async () => {
    const target = await targetWith({
      list: [],
      write: ({ method }) =>
        method === 'DELETE' ? { status: 403 } : { status: 201, body: { id: testId, privacy: 'public' } },
    });
    expect(await copyVal(target, 'private')).toMatchObject({
      exit: 9,
      error: { message: expect.stringContaining('could not be taken back') },
    });
  });

  it('that makes an existing val public with a new version has its old code and fields back', async () => {
    await push(from, 'careful', 'a', 'b', 'c');
    await set(from, 'careful', { privacy: 'unlisted', readme: 'long' });
    await push(to, 'careful', 'a');
    await set(to, 'careful', { privacy: 'unlisted' });
    const careless = await frontOf(to.process, ({ method, path, body }) => {
      if (method !== 'POST' || !path.endsWith('/versions')) return undefined;
      return async (response) => {
        const sent = { ...JSON.parse(body), privacy: 'public' };
        response.end(JSON.stringify(await to.ask(method, path, sent)));
      };
    });
    const { exit } = await copyFrom(from, { ...careless, token: to.token }, 'careful', '--versions');
    expect(exit).toBe(6);
    expect(await record(to, 'careful')).toMatchObject({ code: 'a', readme: '', privacy: 'unlisted' });
    expect(await versions(to, 'careful')).toEqual(['a']);
  });

  it('that has the name already is a conflict, and --force overwrites the val by its name', async () => {
    const target = await targetWith({
      read: () => ({}),
      write: ({ method }) => (method === 'PUT' ? { body: { privacy: 'unlisted' } } : { status: 409 }),
    });
    expect(await copyVal(target, 'unlisted')).toMatchObject({
      exit: 5,
      error: { hint: expect.stringContaining('--force') },
    });
    expect(statuses(await copyVal(target, 'unlisted', '--force'))).toEqual(['plain pushed']);
    expect(target.writes().map(({ method }) => method)).toEqual(['POST', 'PUT']);
    expect(target.bodies().at(-1)).toEqual({ ...sent, readme: 'long', privacy: 'unlisted' });
  });

  it('that fails while it writes has an unknown outcome, and the next copy continues', async () => {
    await push(from, 'flaky', 'a', 'b', 'c');
    let posts = 0;
    const flaky = await frontOf(to.process, ({ method }) => {
      if (method !== 'POST' || ++posts !== 2) return undefined;
      return (response) => void push(to, 'flaky', 'b').then(() => response.writeHead(500).end());
    });
    const copy = () => copyFrom(from, { ...flaky, token: to.token }, 'flaky', '--versions', '--json');
    expect(await copy()).toMatchObject({ exit: 8, error: { kind: 'unknown_outcome' } });
    expect(await versions(to, 'flaky')).toEqual(['a', 'b']);
    expect(statuses(await copy())).toEqual(['flaky pushed']);
    expect(await versions(to, 'flaky')).toEqual(['a', 'b', 'c']);
  });

  it('that is away after the first version has a part of the copy (exit 9, not 7)', async () => {
    await push(from, 'partly', 'a', 'b');
    const target = await targetWith({
      list: [],
      write: ({ path }) =>
        path.endsWith('/versions')
          ? { status: 503 }
          : { status: 201, body: { id: testId, privacy: 'private' } },
    });
    expect(await copyFrom(from, target, 'partly', '--versions')).toMatchObject({
      exit: 9,
      stderr: expect.stringContaining('Older versions were copied before.'),
    });
  });
});
