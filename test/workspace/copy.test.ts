import { describe, expect, it } from 'vitest';
import { quickRetries } from '../support/clocks.ts';
import { ends, run, temporaryFolder } from '../support/program.ts';
import { type Switches, usualFields } from '../support/strict/switches.ts';
import { startStrict } from '../support/strict-service.ts';
import { type Env, type Row, type Service, withEverything } from './places.ts';

/** Copies from one service to another, and returns the exit code, the rows and what was said. */
async function copy(from: { env: Env; home?: string }, to: Service, ...args: string[]) {
  const result = await run(['copy', ...args, '--to', to.baseUrl, '--json'], {
    env: { ...from.env, VALS_TO_TOKEN: to.token },
    home: from.home,
    clock: quickRetries,
  });
  const rows = result.stdout === '' ? [] : (JSON.parse(result.stdout) as Row[]);
  return { ...result, rows, statuses: rows.map(({ name, status }) => `${name} ${status}`) };
}

async function services(switches: Switches = withEverything): Promise<[Service, Service]> {
  const all = { ...switches, versionFields: true };
  return [await startStrict(all), await startStrict(all)];
}

describe('the current code', () => {
  it('is copied with name, readme and privacy, and is unchanged the second time', async () => {
    const [from, to] = await services();
    for (const code of ['1', '2']) from.edit('hello', code);
    Object.assign(from.val('hello'), { privacy: 'unlisted', readme: 'long' });
    const first = await copy(from, to, 'hello');
    expect(first).toMatchObject({ exit: 0, stderr: '' });
    expect(first.rows).toEqual([{ name: 'hello', status: 'created', id: to.val('hello').id, version: 1 }]);
    expect(to.val('hello')).toMatchObject({ readme: 'long', privacy: 'unlisted' });
    expect(to.codes('hello')).toEqual(['2']);
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
    expect(to.codes('both')).toEqual(['there', 'here']);
  });

  it.each([
    ['codeHash and ETag', withEverything],
    ['neither', { ...usualFields, list: true }],
    ['neither, nor times', { list: true }],
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
          /^pay has newer code on .*: the service has version 4 \(the code of version 2 again(, by ada, made \w+ ago)?\)\.$/,
        ),
      },
    });
    expect(to.codes('pay')).toEqual(['a', 'b', 'c', 'b']);
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
    expect(to.codes('race')).toEqual(['a', 'fix']);
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
    to.val('pay').privacy = 'public';
    expect(await copy(from, to, 'pay', '--force')).toMatchObject({ exit: 0 });
    expect(to.val('pay')).toMatchObject({ privacy: 'private' });
    to.val('pay').privacy = 'public';
    expect(await copy(from, to, 'pay')).toMatchObject({
      exit: 6,
      error: { message: expect.stringMatching(/^pay is private, but its copy on .* is public\.$/) },
    });
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
    const [from, to] = await services();
    from.edit('secret', 'a');
    const refused = await run(['copy', 'secret', '--to', to.baseUrl, '--json'], { env: from.env });
    expect(refused).toMatchObject({ exit: 4, stdout: '', error: { kind: 'auth' } });
    expect(refused.stderr).toContain('VALS_TO_TOKEN');
    expect(to.requests).toEqual([]);
    to.switches.instead = ({ headers }) => ({ status: 401, body: { message: headers.authorization } });
    const wrong = await copy(from, { ...to, token: 'wrong_token_of_the_target' }, 'secret');
    const hint = expect.stringContaining('VALS_TO_TOKEN');
    expect(wrong).toMatchObject({ exit: 4, error: { kind: 'auth', hint } });
    expect(wrong.stdout + wrong.stderr).not.toContain('wrong_token_of_the_target');
    expect(to.requests[0]?.headers.authorization).toBe('Bearer wrong_token_of_the_target');
  });

  it('in a val are not sent', async () => {
    const [from, to] = await services();
    const other = { ...to, token: to.addPerson('bob').token };
    from.edit('mine', 'a').readme = from.token;
    from.edit('theirs', other.token);
    for (const name of ['mine', 'theirs']) {
      expect(await copy(from, other, name, '--dry-run')).toMatchObject({
        exit: 10,
        stderr: expect.stringMatching(/The (readme|code) contains/),
      });
    }
  });
});

describe('a target', () => {
  /** Copies a new val with a readme to a service that replies to writes as a test needs it. */
  async function copyVal(instead: Switches['instead']) {
    const [from] = await services();
    const to = await startStrict({ ...withEverything, instead });
    Object.assign(from.edit('plain', 'a'), { privacy: 'private', readme: 'long' });
    return { to, ...(await copy(from, to, 'plain')) };
  }

  it('that refuses the readme gets the val without it, but with its privacy', async () => {
    const { to, statuses, stderr } = await copyVal(({ body }) =>
      body.includes('readme') ? { status: 422, body: { message: 'no readme' } } : undefined,
    );
    expect(statuses).toEqual(['plain created']);
    expect(stderr).toContain('plain: The readme was not copied, because');
    expect(to.requests.at(-1)?.body).toBe('{"name":"plain","code":"a","privacy":"private"}');
  });

  it('that makes the copy public, whether it says so or not, fails for the val', async () => {
    const id = '00000000-0000-4000-8000-000000000000';
    const made = { id, privacy: 'public' };
    for (const answer of [made, { id }]) {
      const { to, ...result } = await copyVal(({ method, path }) => {
        if (method === 'POST') return { status: 201, body: answer };
        return path.endsWith(id) ? { body: made } : undefined;
      });
      const hint = `To make the copy private, run \`vals val set ${id} --privacy private --base-url ${to.baseUrl}\`.`;
      const message = expect.stringMatching(/^plain is private, but its copy on .* is public\.$/);
      expect(result).toMatchObject({ exit: 6, rows: [{ status: 'failed' }], error: { message, hint } });
    }
  });

  it('that cannot list vals gets new ones alone, and --force overwrites the code of a name that is taken', async () => {
    const [from, to] = [await startStrict(), await startStrict()];
    const { id } = from.edit('plain', 'a');
    to.edit('plain', 'b');
    const hint = `To overwrite it, run \`vals copy plain --to ${to.baseUrl} --force\`.`;
    expect(await copy(from, to, id)).toMatchObject({ exit: 5, error: { hint } });
    const forced = await copy(from, to, id, '--force');
    expect(forced).toMatchObject({ exit: 0, statuses: ['plain sent'] });
    expect(forced.stderr).toContain('its privacy was not sent');
    expect(to.writes()).toEqual(['POST /v1/vals', 'POST /v1/vals', 'PUT /v1/vals']);
    to.val('plain').privacy = 'public';
    expect(await copy(from, to, id, '--force')).toMatchObject({ exit: 6 });
  });

  it('that cannot list vals has the copies that this machine made', async () => {
    const [from, to] = [await startStrict(), await startStrict()];
    const here = { env: from.env, home: temporaryFolder() };
    const { id } = from.edit('plain', 'a');
    expect((await copy(here, to, id)).statuses).toEqual(['plain created']);
    expect((await copy(here, to, id)).statuses).toEqual(['plain unchanged']);
    from.edit('plain', 'b');
    expect((await copy(here, to, id)).statuses).toEqual(['plain pushed']);
    to.edit('plain', 'a');
    expect((await copy(here, to, id)).error?.message).toContain('has newer code');
    expect(to.codes('plain')).toEqual(['a', 'b', 'a']);
  });

  it('that fails while it writes has an unknown outcome', async () => {
    const result = await copyVal(({ method }) => (method === 'POST' ? { status: 500 } : undefined));
    expect(result).toMatchObject({ exit: 8, error: { kind: 'unknown_outcome' } });
  });
});

it('a source that answers with another name than the list overwrites no other val', async () => {
  const [from, to] = await services();
  to.edit('prod', 'precious');
  const { id } = from.edit('listed', 'a');
  from.switches.instead = ({ path }) =>
    path.endsWith(id) ? { body: { id, name: 'prod', code: 'evil', privacy: 'public' } } : undefined;
  await copy(from, to, 'listed', '--force');
  expect(to.codes('prod')).toEqual(['precious']);
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
  expect(all).toMatchObject(ends(6, 'The service cannot list your vals'));
});
