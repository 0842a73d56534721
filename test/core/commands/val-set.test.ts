import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { folderOf, run, runOnScreen, runQuickly, temporaryFolder } from '../../support/program.ts';
import { scriptedService } from '../../support/scripted-service.ts';
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
    expect(JSON.parse(stdout)).toMatchObject({ name: 'hi', privacy: 'unlisted' });
    expect(val('hi')).toMatchObject({ privacy: 'unlisted', readme: '# Hello\n' });
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

describe('vals val set on the documented routes', () => {
  const hello = async (switches: Switches = {}, files: Record<string, string> = {}) => {
    const service = await startStrict({ list: true, ...switches });
    for (const code of ['one', 'two']) service.edit('hello', code);
    const cwd = folderOf(files);
    const vals = (...args: string[]) => run(['val', 'set', 'hello', ...args], { env: service.env, cwd });
    return { ...service, cwd, vals };
  };

  it('says that the service cannot do it, and makes no version', async () => {
    const { vals, writes, codes } = await hello();
    const { exit, error } = await vals('--privacy', 'public', '--json');
    expect({ exit, message: error?.message }).toEqual({
      exit: 3,
      message: 'This service cannot change the name, privacy or readme of a val.',
    });
    expect(writes().filter((each) => each.startsWith('POST'))).toEqual([]);
    expect(codes('hello')).toEqual(['one', 'two']);
  });

  it('does not say that a change was made which nobody could see afterwards', async () => {
    const { env, switches, val } = await hello({ changeVal: true });
    const { id = '' } = val('hello') ?? {};
    switches.instead = ({ method, path }) => {
      if (method === 'PUT') return { status: 204 };
      return path.endsWith('/versions') || method !== 'GET' ? undefined : { status: 403, body: {} };
    };
    const { exit, screen } = await runOnScreen(['val', 'set', id, '--privacy', 'public', '--no-color'], {
      env,
    });
    expect({ exit, screen }).toEqual({
      exit: 0,
      screen: expect.stringContaining('The service accepted the change'),
    });
    expect(screen).toContain('Anybody can read its older version now, too.');
  });

  it.each([
    [['--privacy', 'public'], 6, 'The service did not change the privacy of hello.'],
    [['--privacy', 'public', '--name', 'hi'], 9, 'The service did not change the privacy of hi.'],
  ])('%j says which field the service did not change', async (args, exit, message) => {
    const { vals, switches } = await hello({ changeVal: true });
    switches.instead = (seen) => {
      if (seen.method === 'PUT') seen.body = JSON.stringify({ ...JSON.parse(seen.body), privacy: undefined });
      return undefined;
    };
    expect(await vals(...args, '--json')).toMatchObject({ exit, error: { message } });
  });

  it.each([
    ['public', 'Changed the privacy of hello. Anybody can read its older version now, too. (127'],
    ['private', 'Changed the privacy of hello. (127'],
  ])('--privacy %s says what anybody can read now', async (privacy, says) => {
    const { env } = await hello({ changeVal: true });
    const args = ['val', 'set', 'hello', '--privacy', privacy, '--no-color'];
    const { screen } = await runOnScreen(args, { env, columns: 200 });
    expect(screen).toContain(`✓ ${says}`);
  });
});

it.each([401, 404, 405, 501])('a change that was lost and then answered %i is exit 8', async (status) => {
  const service = await scriptedService([(response) => void response.destroy(), { status }]);
  const result = await runQuickly(['val', 'set', id, '--privacy', 'public', '--json'], service);
  expect(result).toMatchObject({ exit: 8, stdout: '' });
  expect(service.requests.map(({ method }) => method)).toEqual(['PUT', 'PUT']);
});
