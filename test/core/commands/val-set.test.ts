import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { has } from '../../support/features.ts';
import { folderOf, run, runOnScreen, runQuickly, temporaryFolder } from '../../support/program.ts';
import { type Reply, scriptedService } from '../../support/scripted-service.ts';
import type { Switches } from '../../support/strict/switches.ts';
import { startStrict } from '../../support/strict-service.ts';
import { id } from './pushes.ts';

async function serviceWithVals() {
  const { env, edit, val } = await startStrict({ list: true, changeVal: true });
  for (const name of ['hello', 'taken']) edit(name, `// ${name}`);
  const folder = temporaryFolder();
  const vals = (args: string[], input?: string) =>
    run(args, { env, home: folder, cwd: folder, ...(input && { input }) });
  return { folder, vals, val };
}

describe('vals val set on a service with PUT /v1/vals/{id}', () => {
  it('changes name, privacy and readme at once, and keeps code and version', async () => {
    const { vals, folder, val } = await serviceWithVals();
    writeFileSync(join(folder, 'README.md'), '# Hello\n');
    const set = ['val', 'set', 'hello', '--name', 'hi', '--privacy', 'unlisted', '--readme', 'README.md'];
    const { exit, stdout, stderr } = await vals([...set, '--json']);
    expect({ exit, stderr }).toEqual({ exit: 0, stderr: '' });
    const changed = { name: 'hi', privacy: 'unlisted', readme: '# Hello\n', code: '// hello' };
    expect(JSON.parse(stdout)).toEqual({ id: val('hi').id, ...changed });
    expect((await vals(['val', 'set', 'hi', '--readme', '-'], 'piped')).exit).toBe(0);
    expect(val('hi')).toMatchObject({ privacy: 'unlisted', readme: 'piped' });
  });

  it.each([
    [['hello'], 2, 'No new name, privacy or readme'],
    [['hello', '--name', 'taken'], 5, 'taken already'],
    [['hello', '--privacy', 'secret'], 6, 'privacy'],
    [['hello', '--readme', 'Says hello.'], 10, 'The readme comes from a file'],
    [[id, '--privacy', 'public'], 3, 'no val'],
  ])('refuses %j with exit %i', async (args, exit, message) => {
    const { vals, val } = await serviceWithVals();
    const result = await vals(['val', 'set', ...args]);
    expect(result).toMatchObject({ exit, stdout: '' });
    expect(result.stderr).toContain(message);
    expect(val('hello')).toMatchObject({ privacy: 'private', readme: '' });
  });
});

it('val create --privacy reports an answer with another privacy with exit 9', async () => {
  const service = await scriptedService([{ status: 201, body: { id, name: 'hello', privacy: 'public' } }]);
  const args = ['val', 'create', 'hello', '--privacy', 'private', '--json'];
  const result = await run(args, { env: service.env, input: 'code' });
  expect(result).toMatchObject({ exit: 9, stdout: expect.stringContaining(id) });
  expect(result.stderr).toContain('The service made hello public instead of private');
});

describe('vals val set on a service without the route', () => {
  const original = { id, name: 'hello', code: 'c', privacy: 'private', readme: null, version: 1 };
  const set = ['val', 'set', id, '--name', 'hi', '--privacy', 'public', '--json'];
  const changed = { ...original, name: 'hi', privacy: 'public' };
  const partly = { ...original, privacy: 'public' };
  const afterVersion = (body: object): Reply[] => [{ body: original }, { status: 201, body }, { body }];

  it.each([404, 501])('sends the fields with a version (%i)', async (status) => {
    const service = await scriptedService([{ status }, ...afterVersion(changed)]);
    const { exit, stdout } = await run(set, { env: service.env });
    expect({ exit, val: JSON.parse(stdout) }).toEqual({ exit: 0, val: changed });
    const calls = service.requests.map(({ method, path, body }) => [method, path, body && JSON.parse(body)]);
    expect(calls).toEqual([
      ['PUT', `/v1/vals/${id}`, { name: 'hi', privacy: 'public' }],
      ['GET', `/v1/vals/${id}`, ''],
      ['POST', `/v1/vals/${id}/versions`, { code: 'c', name: 'hi', privacy: 'public' }],
      ['GET', `/v1/vals/${id}`, ''],
    ]);
  });

  it.each<[what: string, exit: number, says: string, replies: Reply[]]>([
    ['the val is gone', 3, 'no val', [{ status: 410 }]],
    ['some fields were not applied', 9, 'the name of', [{ status: 404 }, ...afterVersion(partly)]],
    [
      'a version changes nothing',
      6,
      'name and privacy',
      [{ status: 405 }, ...afterVersion({ ...original, version: 2 })],
    ],
    ['a 200 changes nothing', 6, 'name and privacy', [{ body: {} }, { body: original }]],
    ['the answer is lost', 8, 'not known', [{ status: 404 }, { body: original }, { status: 500 }]],
    ['the val cannot be read then', 8, 'could not be read afterwards', [{ status: 204 }, { status: 404 }]],
  ])('if %s: exit %i, and nothing more is sent', async (_what, exit, says, replies) => {
    const service = await scriptedService(replies);
    const { error, ...result } = await run(set, { env: service.env });
    expect(result.exit).toBe(exit);
    expect(error?.message).toContain(says);
    if (exit === 9) expect(JSON.parse(result.stdout)).toEqual(partly);
    else expect(result.stdout).toBe('');
    expect(service.requests).toHaveLength(replies.length);
  });
});

describe('vals val set on the documented routes', () => {
  const hello = async (switches: Switches = {}, files: Record<string, string> = {}) => {
    const service = await startStrict({ list: true, ...switches });
    for (const code of ['one', 'two']) service.edit('hello', code);
    const cwd = folderOf(files);
    const vals = (...args: string[]) => run(['val', 'set', 'hello', ...args], { env: service.env, cwd });
    return { ...service, cwd, vals };
  };

  it('names the version that was made for nothing, and how to delete it', async () => {
    const { vals, switches, edit, code } = await hello();
    switches.instead = ({ method }) => {
      if (method !== 'POST') return undefined;
      // This service ignores the fields, and makes a version of any code.
      edit('hello', 'three');
      edit('hello', 'two');
      return { status: 201, body: {} };
    };
    const { exit, error } = await vals('--privacy', 'public', '--json');
    expect({ exit, message: error?.message }).toEqual({
      exit: 6,
      message:
        'The service did not change the privacy of hello. For this, version 4 was made, with the same code.',
    });
    expect(error?.hint).toContain('To delete version 4, run `vals version rm hello 4`.');
    expect(code('hello')).toBe('two');
  });

  it('says what was made where the version carries the fields', async () => {
    const { vals, switches, edit, handle } = await hello({ versionFields: true });
    switches.instead = (seen) => {
      if (seen.method === 'POST') edit('hello', 'three');
      return seen.method === 'POST' ? (handle(seen) as Reply) : undefined;
    };
    const { exit, stderr } = await vals('--privacy', 'public');
    expect({ exit, stderr }).toEqual({
      exit: 0,
      stderr:
        'For this, version 4 was made, with the same code. To delete version 4, run `vals version rm hello 4`.\n',
    });
  });

  it('makes no version for what the val has already', async () => {
    const { vals, writes, codes } = await hello();
    const { exit, stderr } = await vals('--privacy', 'private');
    expect({ exit, stderr }).toEqual({
      exit: 0,
      stderr: 'hello has this already, so no version was made for it.\n',
    });
    expect(writes().filter((each) => each.startsWith('POST'))).toEqual([]);
    expect(codes('hello')).toEqual(['one', 'two']);
  });

  it('--dry-run shows what a service without the route gets, too', async () => {
    const { vals, val, writes } = await hello();
    const { stdout } = await vals('--name', 'hi', '--dry-run', '--json');
    const path = `/v1/vals/${val('hello').id}`;
    expect(JSON.parse(stdout)).toEqual({
      ...{ method: 'PUT', path, body: { name: 'hi' } },
      otherwise: { method: 'POST', path: `${path}/versions`, body: { code: 'two', name: 'hi' } },
    });
    expect(writes()).toEqual([]);
  });

  it('of a name that the service refuses, in a workspace, names the entry of vals.json first', async () => {
    const inWorkspace = await hello({}, { 'vals.json': '{}' });
    const { exit, error } = await inWorkspace.vals('--name', 'hi', '--json');
    expect({ exit, hint: error?.hint }).toEqual({
      exit: 6,
      hint: expect.stringMatching(
        /^To give a file .* vals\.json: "names": \{"hi\.ts":"hello"\}\. This service may/,
      ),
    });
    const elsewhere = await (await hello()).vals('--name', 'hi', '--json');
    expect(elsewhere.error?.hint).toMatch(/^This service may have no way to change the name/);
  });

  it.runIf(has('workspace'))(
    'says of a val with a new name, in a workspace, how its file keeps its own',
    async () => {
      const { vals } = await hello({ changeVal: true }, { 'vals.json': '{}' });
      const { exit, stderr } = await vals('--name', 'hi');
      expect({ exit, stderr: stderr.replaceAll(/\s+/g, ' ') }).toEqual({
        exit: 0,
        stderr:
          'A file that keeps its name needs an entry in "names" of vals.json now. To write it, run `vals pull <file>`. ',
      });
    },
  );

  it.each([
    [
      'public',
      'Changed the privacy of hello. Anybody can read its older version now (`vals version rm` deletes one).',
    ],
    ['private', 'Changed the privacy of hello. (127'],
  ])('--privacy %s says how many older versions anybody can read', async (privacy, says) => {
    const { env } = await hello({ changeVal: true });
    const args = ['val', 'set', 'hello', '--privacy', privacy, '--no-color'];
    const { screen } = await runOnScreen(args, { env, columns: 200 });
    expect(screen).toContain(`✓ ${says}`);
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
