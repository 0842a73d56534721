import { execFileSync } from 'node:child_process';
import { chmodSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { execa } from 'execa';
import { expect, it } from 'vitest';
import { startTeam } from '../service/support/team.ts';
import { environment, folderOf, program, run, temporaryFolder, writeFiles } from '../support/program.ts';
import { signIn } from '../support/sign-in.ts';

const linesOf = (title: string): string[] => {
  const section = readFileSync('README.md', 'utf8').split(`## ${title}`)[1] ?? '';
  return (/```sh\n([\s\S]*?)```/.exec(section)?.[1] ?? '').trim().split('\n');
};

/** Runs the lines in order, and returns what vals printed. */
async function play(lines: readonly string[], home: string): Promise<string> {
  const env: Record<string, string> = {};
  let cwd = home;
  let printed = '';
  for (const line of lines.map((each) => each.replace(/\s+#.*$/, ''))) {
    const [command, ...args] = line.split(' ');
    if (command === 'export') Object.assign(env, Object.fromEntries([(args[0] ?? '').split('=')]));
    else if (command === 'vals') {
      const { exit, stdout, stderr } = await run(args, { cwd, env, home });
      expect({ line, exit, stderr }).toEqual({ line, exit: 0, stderr: '' });
      printed += stdout;
    } else cwd = execFileSync('bash', ['-c', `${line} && pwd`], { cwd, encoding: 'utf8' }).trim();
  }
  return printed;
}

it('the commands in the README for getting started work', async () => {
  const [install, signIn, ...lines] = linesOf('Getting started');
  expect([install, signIn]).toEqual([
    expect.stringContaining('npm ci && npm install -g .'),
    expect.stringContaining('vals login https://'),
  ]);
  expect(lines.at(-1)).toContain('vals val rm hello');
  const before = ['echo "1" > hello.ts', 'export VALS_LOCAL=1', 'vals push hello.ts'];
  const stdout = await play([...before, ...lines.slice(0, -1)], temporaryFolder());
  expect(stdout).toMatch(/created\thello\t1\t/);
  expect(stdout).toMatch(/pushed\thello\t2\t/);
  expect(stdout).toContain('\nexport default () => "hello"\n');
  expect(stdout).toMatch(/^hello\t.*\t3\t/m);
});

it('the commands in the README for a workspace work', async () => {
  const lines = linesOf('Workspaces: a folder');
  expect(lines.at(-1)).toContain('vals push --watch');
  const stdout = await play(lines.slice(0, -1), temporaryFolder());
  expect(stdout).toMatch(/created\tgreet\t1\t/);
  expect(stdout).toMatch(/changed here\tgreet\t/);
  expect(stdout).toContain('-export default () => "hello"\n+export default () => "hello, world"\n');
  expect(stdout).toMatch(/pushed\tgreet\t2\t/);
  expect(stdout).toMatch(/unchanged\tgreet\t2\t/);
});

it('the job of the README and that of docs/team.md deploy the repository, and commit what changed on the service', async () => {
  const { space, ada, bob } = await startTeam();
  const folder = folderOf({ 'bin/vals': `#!/bin/sh\nexec "${process.execPath}" "${program}" "$@"\n` });
  chmodSync(join(folder, 'bin/vals'), 0o755);
  const identity = {
    GIT_AUTHOR_NAME: 'a',
    GIT_AUTHOR_EMAIL: 'a',
    GIT_COMMITTER_NAME: 'a',
    GIT_COMMITTER_EMAIL: 'a',
  };
  const sh = async (script: string, home: string, env: Record<string, string> = {}) => {
    const path = `${join(folder, 'bin')}:${process.env.PATH}`;
    const options = {
      cwd: home,
      env: environment(home, { ...identity, PATH: path, ...env }),
      extendEnv: false,
    };
    return (await execa('sh', ['-c', script], options)).stdout;
  };
  const newToken = async (...args: string[]) => {
    const env = { VALS_BASE_URL: space, VALS_TOKEN: ada.token };
    return JSON.parse((await ada.vals(['token', 'add', ...args, '--json'], { env })).stdout).token as string;
  };
  const repository = join(folder, 'site.git');
  const clone = async () => {
    const home = temporaryFolder();
    await sh(`git clone --quiet ${repository} site`, home);
    return home;
  };
  const commit = (home: string) =>
    sh('cd site; git add .; git commit --quiet -m Edit; git push --quiet', home);
  const log = () => sh('git log --format=%s main', repository);
  await sh(`git init --quiet --bare --initial-branch main ${repository}`, folder);

  const author = await clone();
  writeFiles(join(author, 'site'), { 'vals.json': '{}\n', 'one.ts': '1', 'two.ts': '2' });
  await commit(author);
  const [, deploy = ''] = /- run: (vals push[^#\n]*)/.exec(readFileSync('README.md', 'utf8')) ?? [];
  const env = { VALS_BASE_URL: space, VALS_TOKEN: await newToken('ci') };
  expect(await sh(`cd site; ${deploy}`, await clone(), env)).toMatch(/created\tone\t1.*\ncreated\ttwo\t1/);

  const nightly = /# ~\/nightly\.sh\n([^`]*)/.exec(readFileSync('docs/team.md', 'utf8'))?.[1] ?? '';
  expect(nightly).toContain('vals pull');
  const home = await clone();
  await signIn({ home, token: await newToken('nightly', '--read-only') }, space);
  await sh(nightly, home);
  expect(await log()).toBe('Edit');

  writeFiles(author, { 'site/two.ts': '22' });
  await commit(author);
  const ofBob = { env: { VALS_BASE_URL: space, VALS_TOKEN: bob.token } };
  for (const name of ['one', 'three'])
    await bob.vals(['push', '-', '--name', name], { ...ofBob, input: '11' });
  await sh(nightly, home);
  expect(await log()).toBe('Changes made on the service\nEdit\nEdit');
  // What another repository may have made stays out.
  expect(await sh('git grep -h "" main -- "*.ts"', repository)).toBe('11\n22');
});
