import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { run, runQuickly, temporaryFolder } from '../../support/program.ts';
import { type Reply, type Seen, scriptedService } from '../../support/scripted-service.ts';
import { startStrict } from '../../support/strict-service.ts';
import { id, pushCode } from './pushes.ts';

async function pushed(names: readonly string[]) {
  const { env } = await startStrict({ list: true, changeVal: true });
  const folder = temporaryFolder();
  const home = temporaryFolder();
  const vals = (args: string[], input?: string) =>
    run(args, { env, home, cwd: folder, ...(input && { input }) });
  for (const name of names) await pushCode(env, name, `// ${name}`);
  return { env, folder, vals };
}

const shared = await pushed(['hello', 'taken']);

describe('vals val set on a service with PUT /v1/vals/{id}', () => {
  it('changes name, privacy and readme at once, and keeps code and version', async () => {
    const { vals, folder } = await pushed(['hello']);
    writeFileSync(join(folder, 'README.md'), '# Hello\n');
    const set = ['val', 'set', 'hello', '--name', 'hi', '--privacy', 'unlisted', '--readme', 'README.md'];
    const { exit, stdout, stderr } = await vals([...set, '--json']);
    expect({ exit, stderr }).toEqual({ exit: 0, stderr: '' });
    const changed = { name: 'hi', privacy: 'unlisted', readme: '# Hello\n', code: '// hello', version: 1 };
    expect(JSON.parse(stdout)).toMatchObject(changed);
    expect(JSON.parse((await vals(['val', 'get', 'hi', '--json'])).stdout)).toMatchObject(changed);
    expect((await vals(['val', 'set', 'hi', '--readme', '-'], 'piped')).exit).toBe(0);
    expect((await vals(['val', 'get', 'hi', '--readme'])).stdout).toBe('piped');
  });

  it('with --dry-run says what it would send, and sends nothing', async () => {
    const { vals } = shared;
    const { stdout } = await vals(['val', 'set', 'hello', '--name', 'hi', '--dry-run', '--json']);
    expect(JSON.parse(stdout)).toMatchObject({ method: 'PUT', body: { name: 'hi' } });
    expect((await vals(['val', 'get', 'hello'])).exit).toBe(0);
  });

  it.each([
    [['hello'], 2, 'No new name, privacy or readme'],
    [['hello', '--name', ''], 2, '--name needs a name'],
    [['hello', '--name', 'taken'], 5, 'taken already'],
    [['hello', '--privacy', 'secret'], 6, 'privacy'],
    [['hello', '--readme', 'absent.md'], 10, 'absent.md'],
    [['hello', '--readme', 'Says hello.'], 10, 'The readme comes from a file'],
    [[id, '--privacy', 'public'], 3, 'no val'],
  ])('refuses %j with exit %i', async (args, exit, message) => {
    const { vals } = shared;
    const result = await vals(['val', 'set', ...args]);
    expect(result).toMatchObject({ exit, stdout: '' });
    expect(result.stderr).toContain(message);
    expect((await vals(['val', 'get', 'hello'])).exit).toBe(0);
  });
});

it.each([
  ['private', { privacy: 'public' }, 9],
  ['private', {}, 0],
])('val create --privacy %s reports an answer with %j with exit %i', async (privacy, answer, exit) => {
  const service = await scriptedService([{ status: 201, body: { id, name: 'hello', ...answer } }]);
  const args = ['val', 'create', 'hello', '--privacy', privacy, '--json'];
  const result = await run(args, { env: service.env, input: 'code' });
  expect(result.exit).toBe(exit);
  expect(JSON.parse(result.stdout)).toMatchObject({ id });
  expect(result.stderr.includes('The service made hello public instead of private')).toBe(exit === 9);
});

it('val set --privacy that meets a conflict does not speak of a name', async () => {
  const service = await scriptedService([], ({ method }) => ({
    status: method === 'PUT' ? 409 : 200,
    body: { id },
  }));
  const { exit, stderr } = await run(['val', 'set', id, '--privacy', 'public'], { env: service.env });
  expect(exit).toBe(5);
  expect(stderr).toContain('The request conflicts with the current state on the service.');
  expect(stderr).not.toContain('name');
});

function keepsOneVal(val: Record<string, unknown>, onPut: Reply, takes: readonly string[]) {
  return ({ method, body }: Seen): Reply => {
    if (method === 'PUT') return onPut;
    if (method === 'POST') {
      const given = JSON.parse(body);
      for (const field of takes) val[field] = given[field] ?? val[field];
      return { status: 201, body: val };
    }
    return { body: val };
  };
}

describe('vals val set on a service without the route', () => {
  const original = () => ({ id, name: 'hello', code: 'c', privacy: 'private', readme: null, version: 1 });
  const set = ['val', 'set', id, '--name', 'hi', '--privacy', 'public', '--json'];

  it.each([404, 501])('sends the fields with a version (%i)', async (status) => {
    const service = await scriptedService([], keepsOneVal(original(), { status }, ['name', 'privacy']));
    const { exit, stdout } = await run(set, { env: service.env });
    expect(exit).toBe(0);
    expect(JSON.parse(stdout)).toMatchObject({ name: 'hi', privacy: 'public', code: 'c' });
    const calls = service.requests.map(({ method, path, body }) => [method, path, body && JSON.parse(body)]);
    expect(calls).toEqual([
      ['PUT', `/v1/vals/${id}`, { name: 'hi', privacy: 'public' }],
      ['GET', `/v1/vals/${id}`, ''],
      ['POST', `/v1/vals/${id}/versions`, { code: 'c', name: 'hi', privacy: 'public' }],
      ['GET', `/v1/vals/${id}`, ''],
    ]);
  });

  it('sends no version to a val that is gone (410)', async () => {
    const service = await scriptedService([], keepsOneVal(original(), { status: 410 }, ['name', 'privacy']));
    expect(await run(set, { env: service.env })).toMatchObject({ exit: 3, error: { status: 410 } });
    expect(service.requests.map(({ method }) => method)).toEqual(['PUT']);
  });

  it('names the fields that were not applied: exit 9 for some of them', async () => {
    const { env } = await scriptedService([], keepsOneVal(original(), { status: 404 }, ['privacy']));
    const { exit, stdout, error } = await run(set, { env });
    expect(exit).toBe(9);
    expect(JSON.parse(stdout)).toMatchObject({ name: 'hello', privacy: 'public' });
    expect(error).toMatchObject({ kind: 'partial', message: expect.stringContaining('the name of') });
  });

  it.each<[string, Reply]>([
    ['a version', { status: 405 }],
    ['a route that answers 200', { status: 200, body: {} }],
  ])('exits with 6 if %s changes nothing', async (_what, onPut) => {
    const { env } = await scriptedService([], keepsOneVal(original(), onPut, []));
    const result = await run(set, { env });
    expect(result).toMatchObject({ exit: 6, stdout: '', error: { kind: 'refused' } });
    expect(result.stderr).toContain('name and privacy');
  });

  it.each<[string, Reply[]]>([
    ['the answer to the write is lost', [{ status: 404 }, { body: original() }, { status: 500 }]],
    ['the val cannot be read afterwards', [{ status: 204 }, { status: 404 }]],
  ])('has an unknown outcome if %s', async (_what, replies) => {
    const { env } = await scriptedService(replies);
    expect(await run(set, { env })).toMatchObject({ exit: 8, stdout: '' });
  });
});

it.each([401, 404, 405, 409, 412, 501])(
  'a change that was lost and then answered %i is exit 8, and no version is sent in its place',
  async (status) => {
    const service = await scriptedService([(response) => void response.destroy(), { status }]);
    const result = await runQuickly(['val', 'set', id, '--privacy', 'public', '--json'], service);
    expect(result).toMatchObject({ exit: 8, stdout: '' });
    expect(service.requests.map(({ method }) => method)).toEqual(['PUT', 'PUT']);
  },
);
