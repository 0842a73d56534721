import { describe, expect, it } from 'vitest';
import { quickRetries } from '../support/clocks.ts';
import { run, temporaryFolder } from '../support/program.ts';
import { type Reply, type Seen, scriptedService, testToken } from '../support/scripted-service.ts';
import type { Switches } from '../support/strict/switches.ts';
import { startStrict } from '../support/strict-service.ts';
import { type Env, type Row, type Service, withEverything } from './places.ts';

const testId = '00000000-0000-4000-8000-000000000000';

/** Copies from one service to another, and returns the exit code, the rows and what was said. */
async function copy(
  from: { env: Env; home?: string },
  to: { baseUrl: string; token?: string },
  ...args: string[]
) {
  const result = await run(['copy', ...args, '--to', to.baseUrl, '--json'], {
    env: { ...from.env, VALS_TO_TOKEN: to.token ?? 'token-of-the-target' },
    home: from.home,
    clock: quickRetries,
  });
  const rows = result.stdout === '' ? [] : (JSON.parse(result.stdout) as Row[]);
  return { ...result, rows, statuses: rows.map(({ name, status }) => `${name} ${status}`) };
}

const versions = (service: Service, name: string): string[] => service.codes(name);

const recordOf = (service: Service, name: string) => service.val(name);

async function services(switches: Switches = withEverything): Promise<[Service, Service]> {
  return [
    await startStrict({ ...switches, versionFields: true }),
    await startStrict({ ...switches, versionFields: true }),
  ];
}

describe('the current code', () => {
  it('is copied with name, readme and privacy, and is unchanged the second time', async () => {
    const [from, to] = await services();
    for (const code of ['1', '2']) from.edit('hello', code);
    Object.assign(recordOf(from, 'hello'), { privacy: 'unlisted', readme: 'long' });
    const first = await copy(from, to, 'hello');
    expect(first).toMatchObject({ exit: 0, stderr: '' });
    expect(first.rows).toEqual([{ name: 'hello', status: 'created', id: to.val('hello').id, version: 1 }]);
    expect(recordOf(to, 'hello')).toMatchObject({ readme: 'long', privacy: 'unlisted' });
    expect(versions(to, 'hello')).toEqual(['2']);
    expect((await copy(from, to, 'hello')).statuses).toEqual(['hello unchanged']);
  });

  it('is not sent over other code without --force', async () => {
    const [from, to] = await services();
    from.edit('both', 'here');
    from.edit('other', 'same');
    to.edit('both', 'there');
    const refused = await copy(from, to, 'both');
    const hint = `To see the code there, run \`vals val get both --code --base-url ${to.baseUrl}\`. To overwrite it, run \`vals copy both --to ${to.baseUrl} --force\`.`;
    expect(refused).toMatchObject({ exit: 5, statuses: ['both failed'], error: { kind: 'conflict', hint } });
    expect(await copy(from, to, 'both', '--dry-run')).toMatchObject({ exit: 5 });
    expect(await copy(from, to, 'both', 'other')).toMatchObject({ exit: 9 });
    const forced = await copy(from, to, 'both', '--force');
    expect(forced.rows).toMatchObject([{ status: 'pushed', version: 2, versionBefore: 1 }]);
    expect(versions(to, 'both')).toEqual(['there', 'here']);
  });

  it.each([
    ['codeHash and ETag', withEverything],
    ['neither', { list: true }],
  ])('is promoted if it is newer, and a rollback there is not undone, with %s', async (_kind, switches) => {
    const [from, to] = await services(switches);
    for (const code of ['a', 'b']) from.edit('pay', code);
    to.edit('pay', 'a');
    expect((await copy(from, to, 'pay')).statuses).toEqual(['pay pushed']);
    from.edit('pay', 'c');
    expect((await copy(from, to, 'pay')).statuses).toEqual(['pay pushed']);
    to.edit('pay', 'b');
    const rolledBack = await copy(from, to, 'pay');
    expect(rolledBack).toMatchObject({
      exit: 5,
      error: {
        message: expect.stringMatching(
          /^pay has newer code on .*\. Version 4 there has the code of version 2 again, by ada, made \w+ ago\.$/,
        ),
      },
    });
    expect(versions(to, 'pay')).toEqual(['a', 'b', 'c', 'b']);
    to.edit('pay', 'hotfix');
    from.edit('pay', 'd');
    expect(await copy(from, to, 'pay')).toMatchObject({ exit: 5 });
    expect((await copy(from, to, 'pay', '--force')).statuses).toEqual(['pay pushed']);
  });

  it('replaces no code that somebody sends to the target meanwhile', async () => {
    const [from, to] = await services({ list: true });
    for (const code of ['a', 'b']) from.edit('race', code);
    to.edit('race', 'a');
    from.switches.instead = ({ path }) => {
      if (path.endsWith('/versions')) to.edit('race', 'fix');
      return undefined;
    };
    expect(await copy(from, to, 'race')).toMatchObject({ exit: 5 });
    expect(versions(to, 'race')).toEqual(['a', 'fix']);
  });

  it('of all vals is copied by one command, and --dry-run only plans it', async () => {
    const [from, to] = await services();
    for (const name of ['mine1', 'mine2']) from.edit(name, 'code');
    to.edit('mine2', 'other');
    const planned = await copy(from, to, '--all', '--dry-run', '--force');
    expect(planned.rows.map(({ name, plan }) => `${name} ${plan}`).sort()).toEqual([
      'mine1 create',
      'mine2 send',
    ]);
    expect(to.vals()).toHaveLength(1);
    const copied = await copy(from, to, '--all', '--force');
    expect(copied.statuses.sort()).toEqual(['mine1 created', 'mine2 pushed']);
  });

  it('of a private val makes a public copy private', async () => {
    const [from, to] = await services();
    from.edit('pay', 'b');
    to.edit('pay', 'a');
    Object.assign(recordOf(to, 'pay'), { privacy: 'public' });
    expect(await copy(from, to, 'pay', '--force')).toMatchObject({ exit: 0 });
    expect(recordOf(to, 'pay')).toMatchObject({ privacy: 'private' });
  });
});

describe('tokens', () => {
  it('the stored token of the target is used', async () => {
    const [from, to] = await services();
    from.edit('stored', 'a');
    const env = { VALS_CONFIG_DIR: temporaryFolder() };
    await run(['login', '--base-url', to.baseUrl, '--with-token'], { env, input: to.token });
    const { stdout } = await run(['copy', 'stored', '--to', to.baseUrl, '--json'], {
      env: { ...env, ...from.env },
    });
    expect(JSON.parse(stdout)).toMatchObject([{ name: 'stored', status: 'created' }]);
  });

  it('the current token is not sent to another service', async () => {
    const [from] = await services();
    from.edit('secret', 'a');
    const other = await scriptedService([], ({ headers }) => ({
      status: 401,
      body: { message: `bad ${headers.authorization}` },
    }));
    const refused = await run(['copy', 'secret', '--to', other.baseUrl, '--json'], { env: from.env });
    expect(refused).toMatchObject({ exit: 4, stdout: '', error: { kind: 'auth' } });
    expect(refused.stderr).toContain('VALS_TO_TOKEN');
    expect(other.requests).toEqual([]);
    const wrong = await copy(from, { ...other, token: 'wrong_token_of_the_target' }, 'secret');
    const hint = expect.stringContaining('VALS_TO_TOKEN');
    expect(wrong).toMatchObject({ exit: 4, error: { kind: 'auth', hint } });
    expect(wrong.stdout + wrong.stderr).not.toContain('wrong_token_of_the_target');
    expect(other.requests[0]?.headers.authorization).toBe('Bearer wrong_token_of_the_target');
  });

  it.each([
    { field: 'readme', token: testToken },
    { field: 'code', token: 'token-of-the-target' },
  ])('in the $field of a val are not sent', async ({ field, token }) => {
    const target = await targetWith({ list: [], write: () => ({ body: {} }) });
    const val = { id: testId, name: 'hello', code: 'a', privacy: 'public', [field]: token };
    const source = await scriptedService([], () => ({ body: val }));
    expect(await copy(source, target, testId, '--dry-run')).toMatchObject({
      exit: 10,
      stderr: expect.stringContaining(`The ${field} contains`),
    });
  });
});

interface Target {
  /** Undefined if the service cannot list vals. */
  list?: object[];
  write(sent: { method: string; path: string; body: Record<string, unknown> }): Reply;
}

/** A service that replies to writes as a test needs it. */
async function targetWith({ list, write }: Target) {
  const service = await scriptedService([], ({ method, path, body }: Seen) => {
    if (path === '/v1/me') return { body: { id: 'u' } };
    if (path.startsWith('/v1/users/')) return list ? { body: { data: list, links: {} } } : { status: 404 };
    if (method === 'GET') return { body: { id: testId, privacy: 'public' } };
    return write({ method, path, body: JSON.parse(body || '{}') });
  });
  const writes = () =>
    service.requests
      .filter(({ method }) => method !== 'GET')
      .map(({ method, path, body }) => ({ method, path, body: JSON.parse(body || '{}') }));
  return { ...service, writes };
}

describe('a target', () => {
  const sent = { name: 'plain', code: 'a' };

  /** Copies a new val with a readme. */
  async function copyVal(target: { baseUrl: string }, privacy: string, ...args: string[]) {
    const from = await startStrict();
    from.edit('plain', 'a');
    Object.assign(recordOf(from, 'plain'), { privacy, readme: 'long' });
    return copy(from, target, recordOf(from, 'plain').id, ...args);
  }

  it('that refuses the readme gets the val without it, but with its privacy', async () => {
    const target = await targetWith({
      list: [],
      write: ({ body }) =>
        'readme' in body
          ? { status: 422, body: { message: 'no readme' } }
          : { status: 201, body: { id: 'x', ...body } },
    });
    const result = await copyVal(target, 'private');
    expect(result.statuses).toEqual(['plain created']);
    expect(result.stderr).toContain('plain was copied without the readme, which');
    expect(target.writes().map(({ body }) => body)).toEqual([
      { ...sent, readme: 'long', privacy: 'private' },
      { ...sent, privacy: 'private' },
    ]);
  });

  it.each([
    { what: 'says so', answer: { id: testId, privacy: 'public' } },
    { what: 'says so when the val is read', answer: { id: testId } },
  ])('that makes the copy public and $what fails for the val', async ({ answer }) => {
    const target = await targetWith({ list: [], write: () => ({ status: 201, body: answer }) });
    const hint = `To make the copy private, run \`vals val set ${testId} --privacy private --base-url ${target.baseUrl}\`.`;
    expect(await copyVal(target, 'private')).toMatchObject({
      exit: 6,
      rows: [{ status: 'failed' }],
      error: { message: expect.stringMatching(/^plain is private, but its copy on .* is public\.$/), hint },
    });
  });

  it('that cannot list vals gets new ones alone, and --force overwrites the code of a name that is taken', async () => {
    const [from, to] = [await startStrict(), await startStrict()];
    from.edit('plain', 'a');
    to.edit('plain', 'b');
    const { id } = recordOf(from, 'plain');
    const hint = `To overwrite it, run \`vals copy plain --to ${to.baseUrl} --force\`.`;
    expect(await copy(from, to, id)).toMatchObject({ exit: 5, error: { hint } });
    const forced = await copy(from, to, id, '--force');
    expect(forced).toMatchObject({ exit: 0, statuses: ['plain sent'] });
    expect(forced.stderr).toContain('its privacy was not sent');
    expect(to.writes()).toEqual(['POST /v1/vals', 'POST /v1/vals', 'PUT /v1/vals']);
    recordOf(to, 'plain').privacy = 'public';
    expect(await copy(from, to, id, '--force')).toMatchObject({ exit: 6 });
  });

  it('that cannot list vals has the copies that this machine made', async () => {
    const [from, to] = [await startStrict(), await startStrict()];
    const here = { ...from, env: from.env, home: temporaryFolder() };
    const { id } = from.edit('plain', 'a');
    expect((await copy(here, to, id)).statuses).toEqual(['plain created']);
    expect((await copy(here, to, id)).statuses).toEqual(['plain unchanged']);
    from.edit('plain', 'b');
    expect((await copy(here, to, id)).statuses).toEqual(['plain pushed']);
    to.edit('plain', 'a');
    expect(await copy(here, to, id)).toMatchObject({
      exit: 5,
      error: { message: expect.stringContaining('has newer code') },
    });
    expect(versions(to, 'plain')).toEqual(['a', 'b', 'a']);
  });

  it('that fails while it writes has an unknown outcome', async () => {
    const target = await targetWith({ list: [], write: () => ({ status: 500 }) });
    expect(await copyVal(target, 'public')).toMatchObject({ exit: 8, error: { kind: 'unknown_outcome' } });
  });
});

it('a source that answers with another name than the list overwrites no other val', async () => {
  const [, to] = await services();
  to.edit('prod', 'precious');
  const source = await scriptedService([], ({ path }) => {
    if (path === '/v1/me') return { body: { id: 'u' } };
    if (path.startsWith('/v1/users/')) return { body: { data: [{ id: 'x', name: 'listed' }], links: {} } };
    return { body: { id: 'x', name: 'prod', code: 'evil', privacy: 'public' } };
  });
  await copy(source, to, 'listed', '--force');
  expect(versions(to, 'prod')).toEqual(['precious']);
});

it('vals copy refuses a command line without a val or a target, and the same service as the target', async () => {
  const { env, baseUrl, edit } = await startStrict({ list: true });
  edit('hello', '1');
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
  const { env: listless } = await startStrict();
  const all = await run(['copy', '--all', '--to', 'http://127.0.0.1:9'], {
    env: { ...listless, VALS_TO_TOKEN: 'a' },
  });
  expect(all).toMatchObject({
    exit: 6,
    stderr: expect.stringContaining('The service cannot list your vals'),
  });
});
