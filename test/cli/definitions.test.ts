// What every command owes its users, held against all definitions.
import { cpSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { execa } from 'execa';
import { describe, expect, it } from 'vitest';
import { commandTree } from '../../src/commands/index.ts';
import { environment, program, run, temporaryFolder } from '../support/program.ts';
import { serviceInProcess } from '../support/service-in-process.ts';

const commands = commandTree.groups.flatMap(({ commands }) => commands);
const exampleId = '4f2c0c1e-6a53-4bd2-9a2e-1f1f3f0b9c11';
const exampleService = 'https://api.example.com';

/** These go on until interrupted, ask a person or are for another shell; they have tests of their own. */
const notToBeRunHere = new Set([
  'vals serve',
  'vals val rm hello',
  'vals serve --port 0 --json',
  'vals run --http hello.ts',
  `vals login --base-url ${exampleService}`,
  'eval "$(vals completion bash)"',
  'eval "$(vals completion zsh)"',
  'vals completion fish | source',
]);

const examples = commands.flatMap(({ path, examples }) =>
  examples.filter((line) => !notToBeRunHere.has(line)).map((line) => ({ path, line })),
);

describe.each(commands)('vals $path', ({ path, aliases = [], examples, summary }) => {
  it.each([path, ...aliases])('explains itself as %s', async (words) => {
    const { exit, stdout, stderr } = await run([...words.split(' '), '--help']);
    expect({ exit, stderr }).toEqual({ exit: 0, stderr: '' });
    expect(stdout).toContain(`Usage: vals ${words.split(' ')[0]}`);
    expect(stdout).toContain('--json');
    for (const line of examples) expect(stdout).toContain(`  $ ${line}\n`);
    expect(examples.length).toBeGreaterThan(0);
    expect(summary).toMatch(/^[A-Z].*[^.]$/);
    // A screen: its usage, options and examples are seen at once.
    expect(stdout.trimEnd().split('\n').length).toBeLessThanOrEqual(24);
  });

  it('answers a wrong flag with a usage error in JSON and an empty stdout', async () => {
    const { exit, stdout, error } = await run([...path.split(' '), '--jsno', '--json']);
    expect({ exit, stdout }).toEqual({ exit: 2, stdout: '' });
    expect(error).toMatchObject({ kind: 'usage', exit: 2, message: expect.stringContaining('--json') });
  });
});

describe.each(examples)('$line', ({ line }) => {
  it('works', async () => {
    const { stdout, stderr, exit } = await runExample(line);
    expect({ exit, stderr }).toEqual({ exit: 0, stderr: '' });
    // A val that was made a moment ago has no runs.
    if (!/ > |val runs/.test(line)) expect(stdout).not.toBe('');
  });

  it.skipIf(/json| > |--code/.test(line))('gives one JSON document under --json', async () => {
    // What follows the file of `run` is not for vals.
    const inJson = line.startsWith('vals run ') ? line.replace('run', 'run --json') : `${line} --json`;
    const { stdout, stderr, exit } = await runExample(inJson);
    expect({ exit, stderr }).toEqual({ exit: 0, stderr: '' });
    JSON.parse(stdout);
    expect(stdout.endsWith('\n')).toBe(true);
    expect(stdout.trimEnd()).not.toContain('\n');
  });
});

/** A line of the help, in a shell, on a service that has what the line speaks of. */
async function runExample(line: string) {
  const service = await serviceInProcess(activity());
  const folder = temporaryFolder();
  cpSync(resolve('examples'), join(folder, 'examples'), { recursive: true });
  cpSync(resolve('examples/hello.ts'), join(folder, 'hello.ts'));
  writeFileSync(join(folder, 'token.txt'), `${service.token}\n`);
  const name = /vals (val|version) (?!create)\w+ hello/.test(line) ? 'hello' : 'example';
  const id = await valWithThreeVersions(name, service.env, folder);
  // Two files named hello would be one val.
  if (/vals (init|status|diff|pull|forget)/.test(line)) {
    rmSync(join(folder, 'examples'), { recursive: true });
  }
  if (/vals open hello/.test(line)) await run(['push', 'hello.ts'], { env: service.env, home: folder });
  if (/vals use/.test(line)) {
    const args = ['login', '--base-url', service.baseUrl, '--with-token'];
    await run(args, { input: service.token, home: folder });
  }
  if (/vals (status|diff|pull|forget)/.test(line))
    await makeWorkspace(service.env, folder, line.includes('diff'));

  const command = line
    .replaceAll(exampleId, id)
    .replaceAll(exampleService, service.baseUrl)
    // A fresh machine need not have jq.
    .replace(/ \| jq .*$/, '');
  const env = environment(folder, { ...service.env, EDITOR: 'sed -i.before -e s/hello/bye/' });
  // Signing in is what stores these, so its example must do without them.
  if (/vals (log|use)/.test(command)) for (const name of Object.keys(service.env)) delete env[name];
  if (/vals logout( --json)?$/.test(command)) env.VALS_BASE_URL = service.baseUrl;
  const script = `vals() { "${process.execPath}" "${program}" "$@"; }\n${command}`;
  const { exitCode, stdout, stderr } = await execa('sh', ['-c', script], {
    env,
    extendEnv: false,
    cwd: folder,
    reject: false,
    stripFinalNewline: false,
    stdin: 'ignore',
  });
  // An embedded service without a list of vals is still a service.
  return { exit: exitCode, stdout, stderr: stderr.replace(/^This service has no list of vals.*\n/m, '') };
}

async function valWithThreeVersions(
  name: string,
  env: Record<string, string>,
  folder: string,
): Promise<string> {
  const push = async (code: string) => {
    const { stdout, stderr } = await run(['push', '-', '--name', name, '--json'], {
      env,
      input: code,
      home: folder,
    });
    expect(stderr).toBe('');
    return JSON.parse(stdout)[0].id as string;
  };
  await push('export default 1');
  await push('export default 2');
  return push(readFileSync('examples/hello.ts', 'utf8'));
}

/** One val that was pushed, and changed since where differences are to be shown. */
async function makeWorkspace(env: Record<string, string>, folder: string, changed: boolean): Promise<void> {
  for (const args of [['init'], ['push']]) {
    expect(await run(args, { env, home: folder })).toMatchObject({ exit: 0, stderr: '' });
  }
  if (changed) writeFileSync(join(folder, 'hello.ts'), 'export default 4');
}

function activity() {
  const val = { id: exampleId, name: 'popular', author: { username: 'ada' } };
  const now = new Date().toISOString();
  return {
    runs: [{ val: { name: 'popular', version: 1 }, runStartAt: now, runEndAt: now, error: 'it broke' }],
    likes: [val],
    comments: [{ comment: 'nice', createdAt: now, author: { username: 'ada' }, val }],
    references: [{ reference: val, dependsOn: { name: 'example' }, referencedAt: now }],
  };
}
