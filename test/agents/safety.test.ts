import { execFileSync } from 'node:child_process';
import { existsSync, mkdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { has } from '../support/features.ts';
import { environment, folderOf, run, temporaryFolder } from '../support/program.ts';
import { scriptedService, testToken } from '../support/scripted-service.ts';
import { startStrict } from '../support/strict-service.ts';
import { agentOnService, connectAgent, initializedAgent, startAgent } from './clients.ts';

const code = 'export default () => 1;\n';
const done = { isError: false };

describe('permissions', () => {
  it.runIf(has('run'))('--read-only contradicts each of the others', async () => {
    for (const flag of ['--allow-delete', '--allow-run', '--allow-public'])
      expect(await run(['mcp', '--read-only', flag])).toMatchObject({ exit: 2, stdout: '' });
  });

  it('a tool that is not allowed does not exist, even for a call by its name', async () => {
    const agent = await connectAgent([]);
    for (const name of ['val_rm', 'version_rm', 'run', 'login', 'serve']) {
      await expect(agent.call(name, {})).rejects.toThrow(`There is no tool ${name}.`);
    }
  });

  it.runIf(has('run'))('the instructions say what a person has to allow', async () => {
    const instructionsOf = async (...args: string[]) =>
      (await (await initializedAgent(args, { env: {} })).answerTo(0)).result;
    for (const note of ['start this server with --allow-delete.', '--allow-run.', 'New vals are private.'])
      expect(await instructionsOf()).toMatchObject({ instructions: expect.stringContaining(note) });
    const note = expect.stringContaining('This server is read-only.');
    expect(await instructionsOf('--read-only')).toMatchObject({ instructions: note });
  });
});

describe('without --allow-public', () => {
  const publicByDefault = { list: true, changeVal: true, privacy: 'public' } as const;

  it.each([
    ['val_create', { name: 'made', code }],
    ['push', { name: 'made', code }],
    ['push', { paths: ['made.ts'] }],
  ])('a val that %s %j makes is private, and one that is there keeps its privacy', async (tool, input) => {
    const { env, edit, val } = await startStrict(publicByDefault);
    edit('old', code);
    const cwd = folderOf({ 'made.ts': code, 'old.ts': `${code}// new` });
    const agent = await connectAgent([], { env, cwd });
    expect(await agent.call(tool, input)).toMatchObject(done);
    expect(await agent.call('push', { paths: ['old.ts'] })).toMatchObject(done);
    expect([val('made').privacy, val('old').privacy]).toEqual(['private', 'public']);
  });

  it.runIf(has('workspace'))('a new val of a workspace is private, whatever vals.json says', async () => {
    const { env, val } = await startStrict(publicByDefault);
    const cwd = folderOf({ 'vals.json': '{"privacy":"public"}', 'made.ts': code });
    await (await connectAgent([], { env, cwd })).call('push');
    expect(val('made').privacy).toBe('private');
  });

  it('no val becomes more public, but one may become less so', async () => {
    const { env, edit, val } = await startStrict({ ...publicByDefault, privacy: 'unlisted' });
    edit('made', code);
    const agent = await connectAgent([], { env });
    const make = (privacy: string) => agent.call('val_create', { name: 'other', code, privacy });
    const set = (privacy: string, by = agent) => by.call('val_set', { val: 'made', privacy });
    const refused = { isError: true, document: { error: { kind: 'usage' } } };
    expect(await make('unlisted')).toMatchObject(refused);
    expect(await set('public')).toMatchObject(refused);
    expect(val('made').privacy).toBe('unlisted');
    expect(await set('private')).toMatchObject(done);
    expect(await set('unlisted')).toMatchObject(refused);
    const allowed = await connectAgent(['--allow-public'], { env });
    expect(await set('public', allowed)).toMatchObject(done);
    expect(await allowed.call('push', { name: 'new', code })).toMatchObject(done);
    expect([val('made').privacy, val('new').privacy]).toEqual(['public', 'unlisted']);
  });
});

it.runIf(has('workspace'))('vals.json of a clone chooses no val that a tool writes', async () => {
  const { env, edit, writes } = await startStrict({ list: true, changeVal: true });
  edit('payments', code);
  const cwd = folderOf({ 'vals.json': '{"names": {"hello.ts": "payments"}}', 'hello.ts': code });
  const agent = await connectAgent(['--allow-delete'], { env, cwd });
  for (const [tool, input] of [
    ['val_rm', { vals: ['hello.ts'] }],
    ['val_set', { val: 'hello.ts', name: 'bye' }],
    ['version_new', { val: 'hello.ts', code: '// new' }],
  ] as const) {
    const { document } = await agent.call(tool, input);
    expect({ tool, document }).toMatchObject({ tool, document: { error: { exit: 2 } } });
  }
  expect(writes()).toEqual([]);
  expect(await agent.call('val_rm', { vals: ['payments'] })).toMatchObject(done);
});

it.runIf(has('workspace'))('push with prune deletes', async () => {
  const { env: service, vals } = await startStrict({ list: true });
  const env = { ...service, VALS_DATA_DIR: temporaryFolder() };
  const cwd = folderOf({ 'vals.json': '{}', 'gone.ts': code });
  expect((await run(['push'], { env, cwd })).exit).toBe(0);
  const git = (...args: string[]) =>
    execFileSync('git', ['-C', cwd, '-c', 'user.name=a', '-c', 'user.email=a', ...args], {
      env: environment(temporaryFolder()),
    });
  git('init', '-q');
  git('add', '.');
  git('commit', '-qm', 'all');
  rmSync(join(cwd, 'gone.ts'));
  const agent = await connectAgent(['--allow-delete'], { env, cwd });
  const { document } = await agent.call('push', { prune: true });
  expect(document.items).toMatchObject([{ file: 'gone.ts', status: 'deleted' }]);
  expect(vals()).toEqual([]);
});

describe('files', () => {
  async function inFolder() {
    const files = ['secret.ts', 'outside/secret.ts', 'project/mine.ts', 'project/below/deep.ts'];
    const home = folderOf(Object.fromEntries(files.map((file) => [file, code])));
    const cwd = join(home, 'project');
    symlinkSync(join(home, 'secret.ts'), join(cwd, 'link.ts'));
    symlinkSync(join(home, 'outside'), join(cwd, 'folder'));
    return { home, cwd, agent: await agentOnService(['--allow-run'], { home, cwd }) };
  }

  it.runIf(has('run'))('below the working directory are read, and others are not', async () => {
    const { agent, cwd } = await inFolder();
    for (const path of [
      '../secret.ts',
      'link.ts',
      'folder/secret.ts',
      'folder',
      '..',
      'below/../../secret.ts',
      '/etc/passwd',
    ]) {
      for (const [name, input] of [
        ['push', { paths: [path] }],
        ['push', { paths: [path], name: 'stolen' }],
        ['push', { paths: [path], dryRun: true }],
        ['val_create', { name: 'stolen', file: path }],
        ['val_create', { name: 'stolen', code, readme: path }],
        ['val_set', { val: 'stolen', readme: path }],
        ['version_new', { val: 'stolen', file: path }],
        ['run', { val: path }],
      ] as const) {
        const { isError, document } = await agent.call(name, input);
        expect([path, name, isError]).toEqual([path, name, true]);
        expect(JSON.stringify(document)).not.toMatch(/"(status|code)":"(created|pushed|planned|export)/);
      }
    }
    expect(await agent.call('ls')).toMatchObject({ document: { items: [] } });
    const pushed = await agent.call('push', { paths: ['mine.ts', 'below', join(cwd, 'mine.ts')] });
    expect(pushed.document).toMatchObject({ items: [{ name: 'mine' }, { name: 'deep' }] });
    const { document } = await agent.call('val_create', { name: 'made', file: '' });
    expect(document).toMatchObject({ error: { message: 'The path of a file is empty.' } });
  });

  it.runIf(has('run'))('that may not be run are for an agent like those that do not exist', async () => {
    const { agent, home } = await inFolder();
    writeFileSync(join(home, 'outside/plain'), code);
    for (const [there, absent] of [
      ['../secret.ts', '../absent.ts'],
      ['..', '../nothing/'],
      ['link.ts', 'no.ts'],
      ['folder/secret.ts', 'folder/absent.ts'],
      ['folder/plain', 'folder/other'],
      [join(home, 'outside/plain'), join(home, 'outside/other')],
    ] as const) {
      const errorOf = async (val: string) => {
        const { isError, document } = await agent.call('run', { val });
        return { isError, text: JSON.stringify(document).replaceAll(JSON.stringify(val).slice(1, -1), 'X') };
      };
      expect(await errorOf(there)).toEqual(await errorOf(absent));
    }
  });

  it('of the config folder are not read', async () => {
    const { env } = await startStrict({ list: true });
    const cwd = folderOf({ 'own/config.json': '{}' });
    const agent = await connectAgent([], { env: { ...env, VALS_CONFIG_DIR: join(cwd, 'own') }, cwd });
    const { isError } = await agent.call('push', { paths: ['own/config.json'], name: 'config' });
    expect(isError).toBe(true);
  });

  it('are not read if the working directory is the home folder', async () => {
    const home = folderOf({ 'mine.ts': code });
    const { env } = await startStrict({ list: true });
    const agent = await startAgent([], { env, home, cwd: home });
    for (const paths of [['mine.ts'], ['.']]) {
      const { document } = await agent.call('push', { paths });
      expect(document.error).toMatchObject({
        kind: 'local',
        message: `${paths} cannot be used: this server was started without a project folder.`,
      });
    }
    expect(await agent.call('push', { name: 'mine', code })).toMatchObject(done);
  });

  it.runIf(has('workspace'))(
    'of the whole workspace are read from one of its folders, and a pull writes no file through a link',
    async () => {
      const { env } = await startStrict({ list: true });
      const home = temporaryFolder();
      const root = join(home, 'project');
      mkdirSync(join(root, 'below'), { recursive: true });
      await run(['init'], { cwd: root, home, env });
      writeFileSync(join(root, 'top.ts'), code);
      symlinkSync(join(home, 'outside.ts'), join(root, 'other.ts'));
      const agent = await connectAgent([], { env, home, cwd: join(root, 'below') });
      expect(await agent.call('push', { paths: ['../top.ts'] })).toMatchObject(done);
      expect(await agent.call('push', { name: 'other', code })).toMatchObject(done);
      expect(await agent.call('pull', { vals: ['other'] })).toMatchObject({ isError: true });
      expect(existsSync(join(home, 'outside.ts'))).toBe(false);
      rmSync(join(root, 'other.ts'));
      expect(await agent.call('pull', { vals: ['other'] })).toMatchObject(done);
      expect(readFileSync(join(root, 'other.ts'), 'utf8')).toBe(code);
    },
  );
});

it.runIf(has('run'))('a val that is run cannot read the messages of the protocol', async () => {
  const greedy =
    'export default async () => { let all = ""; for await (const part of process.stdin) all += part; return all; };';
  const cwd = folderOf({ 'greedy.ts': greedy });
  const { env } = await startStrict({ list: true });
  const agent = await startAgent(['--allow-run'], { env, cwd });
  const [read, me] = await Promise.all([agent.call('run', { val: 'greedy.ts' }), agent.call('me')]);
  expect(read.document).toMatchObject({ value: '' });
  expect(me.isError).toBe(false);
});

it('no message contains the token, even if the service repeats it', async () => {
  const echo = { id: 'a', name: 'a', code: `const t = "${testToken}";`, [testToken]: 1 };
  const { env } = await scriptedService([], ({ path }) =>
    path.includes('/v1/me') ? { status: 400, body: { message: `no ${testToken}` } } : { body: echo },
  );
  const agent = await startAgent(['--debug'], { env });
  const val = '4f2c0c1e-6a53-4bd2-9a2e-1f1f3f0b9c11';
  const answers = await Promise.all([
    agent.call('val_get', { val }),
    agent.call('val_get', { val, code: true }),
    agent.call('runs'),
  ]);
  expect(answers).toMatchObject([
    { isError: false, document: { code: 'const t = "***";' } },
    { document: { text: 'const t = "***";' } },
    { isError: true },
  ]);
  await expect(agent.call(testToken)).rejects.toThrow('There is no tool ***.');
  expect(agent.stderr()).toContain('GET');
  expect(JSON.stringify(answers) + agent.stderr()).not.toContain(testToken);
});

it.runIf(has('run'))('the token in the logs of a run is removed before the logs are cut', async () => {
  const { env } = await startStrict({ list: true });
  const code = `console.log("${testToken} ".repeat(5_000))`;
  const agent = await connectAgent(['--allow-run'], {
    env: { ...env, VALS_TOKEN: testToken },
    cwd: folderOf({ 'a.js': code }),
  });
  const { document } = await agent.call('run', { val: 'a.js' });
  expect(document).toMatchObject({ run: { logs: expect.stringMatching(/^[* \n]+$/) } });
});
