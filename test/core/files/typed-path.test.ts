import { mkdirSync, realpathSync, symlinkSync } from 'node:fs';
import { join } from 'node:path';
import { execa } from 'execa';
import { describe, expect, it } from 'vitest';
import { has } from '../../support/features.ts';
import { environment, folderOf, program, run, temporaryFolder } from '../../support/program.ts';
import { scriptedService, testToken } from '../../support/scripted-service.ts';

const id = '4f2c0c1e-6a53-4bd2-9a2e-1f1f3f0b9c11';
const isLinux = process.platform === 'linux';

function repository(marker: string | undefined): { cwd: string; outside: string } {
  const cwd = folderOf({ 'a.ts': 'a', ...(marker !== undefined && { [marker]: '{}' }) });
  const outside = realpathSync(folderOf({ 'secret.ts': 'secret', '.git/HEAD': '' }));
  symlinkSync(join(outside, 'secret.ts'), join(cwd, 'link.ts'));
  symlinkSync(outside, join(cwd, 'lib'));
  return { cwd, outside };
}

const sending = [
  ['push', 'link.ts', '--name', 'x'],
  ['val', 'create', 'x', 'link.ts', '--privacy', 'public'],
  ['val', 'create', 'x', 'a.ts', '--readme', 'link.ts'],
  ['val', 'set', id, '--readme', 'link.ts'],
  ['version', 'new', id, 'link.ts'],
  ['api', '/v1/vals', '--input', 'link.ts'],
];

describe('a link out of the project', () => {
  it.each(sending)('is not read by vals %s %s %s %s %s', async (...args) => {
    const service = await scriptedService([]);
    for (const marker of ['vals.json', undefined]) {
      const { cwd, outside } = repository(marker);
      const { exit, stderr } = await run(args, { cwd, env: service.env });
      expect({ exit, stderr }).toEqual({
        exit: 10,
        stderr: expect.stringContaining(
          `link.ts is or contains a link to ${outside}/secret.ts, which is outside this project.`,
        ),
      });
      expect(service.requests).toEqual([]);
    }
  });

  it('is not pushed, however its path is typed', async () => {
    const { cwd, outside } = repository('.git/HEAD');
    mkdirSync(join(cwd, 'sub'));
    const paths = ['link.ts', 'lib/secret.ts', 'lib'].flatMap((path) => [join(cwd, path), `../${path}`]);
    const service = await scriptedService([]);
    for (const typed of paths) {
      const { exit, stderr } = await run(['push', typed, '--name', 'a'], {
        cwd: join(cwd, 'sub'),
        env: service.env,
      });
      expect({ exit, stderr }).toEqual({ exit: 10, stderr: expect.stringContaining(`link to ${outside}`) });
    }
    expect(service.requests).toEqual([]);
  });
});

describe('within the project', () => {
  it.each([
    ['link.ts', '.env', 'hidden'],
    ['link/config', '.git', 'hidden'],
    ['link.ts', 'local/keys.ts', 'listed in an ignore file'],
  ])('%s is not read through a link to %s, which is %s', async (typed, to, problem) => {
    const secrets = { '.env': 's', '.git/config': 's', 'local/keys.ts': 's' };
    const cwd = folderOf({ ...secrets, '.gitignore': 'local/\nlink.ts\n' });
    symlinkSync(join(cwd, to), join(cwd, typed.split('/')[0] ?? ''));
    const service = await scriptedService([]);
    const { exit, stderr } = await run(['push', typed, '--name', 'a'], { cwd, env: service.env });
    expect({ exit, stderr }).toEqual({ exit: 10, stderr: expect.stringContaining(`which is ${problem}.`) });
    expect(service.requests).toEqual([]);
  });

  it('an ignored file in a linked folder is not pushed', async () => {
    const files = { '.git/HEAD': '', '.gitignore': '/lib/keys.ts', 'lib/keys.ts': 'secret', 'lib/a.ts': 'a' };
    const cwd = folderOf(files);
    symlinkSync('lib', join(cwd, 'link'));
    const { stdout } = await run(['push', 'link', '--dry-run', '--json'], { cwd });
    expect(JSON.parse(stdout)).toEqual([{ file: 'link/a.ts', name: 'a', status: 'planned', plan: 'send' }]);
  });
});

describe('a typed path is read', () => {
  it('if it is a link within the project, or a file outside of the project', async () => {
    const { cwd, outside } = repository('.git/HEAD');
    symlinkSync('a.ts', join(cwd, 'inside.ts'));
    for (const path of ['inside.ts', join(outside, 'secret.ts')]) {
      expect(await run(['push', path, '--dry-run'], { cwd })).toMatchObject({ exit: 0 });
    }
  });

  it.runIf(isLinux)('if it is standard input or a pipe of the shell', async () => {
    const { cwd } = repository('.git/HEAD');
    const script = `cat a.ts | "$0" "$1" val create x /dev/stdin --dry-run --json &&
      "$0" "$1" val create x <(cat a.ts) --dry-run --json`;
    const env = environment(temporaryFolder());
    const { stdout } = await execa('bash', ['-c', script, process.execPath, program], {
      env,
      extendEnv: false,
      cwd,
    });
    expect(stdout.match(/"code":\s*"a"/g)).toHaveLength(2);
  });
});

describe('a text with the token in it is not sent', () => {
  const withToken = `// ${testToken}`;
  const service = () =>
    scriptedService([], ({ path }) => (path === '/v1/me' ? { body: { id: 'me' } } : { status: 404 }));

  it.each([
    ['push', '-', '--name', 'x'],
    ['val', 'create', 'x'],
    ['val', 'create', 'x', 'a.ts', '--readme', '-'],
    ['val', 'set', id, '--readme', '-'],
    ['version', 'new', id],
    ['api', '/v1/vals', '--input', '-'],
    ['push', 'token.ts'],
    ['val', 'create', testToken, 'a.ts'],
    ['api', '-X', 'GET', '/v1/me', '-f', `a=${testToken}`],
  ])('by vals %s %s %s %s %s', async (...args) => {
    const cwd = folderOf({ 'a.ts': 'a', 'token.ts': withToken, 'vals.json': '{}' });
    const { env, requests } = await service();
    const input = args[0] === 'api' ? JSON.stringify({ code: withToken }) : withToken;
    const { exit, stderr } = await run(args, { cwd, env, input });
    expect({ exit, stderr }).toEqual({
      exit: 10,
      stderr: expect.stringContaining('contains your token, so it was not sent.'),
    });
    expect(requests.filter(({ method, path }) => method !== 'GET' || path.includes(testToken))).toEqual([]);
  });

  it('by vals val edit, and the text is kept', async () => {
    const service = await scriptedService([], () => ({ body: { id, name: 'x', code: 'x', version: 1 } }));
    const env = { ...service.env, EDITOR: `sh -c 'echo "${withToken}" > "$1"' sh` };
    const { exit, stderr } = await run(['val', 'edit', id], { env });
    expect({ exit, stderr }).toEqual({ exit: 10, stderr: expect.stringContaining('Your text is in') });
    expect(service.requests.filter(({ method }) => method !== 'GET')).toEqual([]);
  });

  it.runIf(has('workspace'))('by a dry run of a workspace, which says so', async () => {
    const cwd = folderOf({ 'token.ts': withToken, 'vals.json': '{}' });
    const { env } = await service();
    expect(await run(['push', '--dry-run'], { cwd, env })).toMatchObject({ exit: 10 });
  });
});
