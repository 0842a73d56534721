// The examples of every command, of all features, with the embedded service.
import { cpSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { execa } from 'execa';
import { afterAll, expect, it } from 'vitest';
import { loadCommands } from '../../src/core/command-line/command-tree.ts';
import { commandTree } from '../../src/main.ts';
import { openStore } from '../../src/service/start-service.ts';
import { createSpace, grant } from '../../src/service/store/spaces.ts';
import { type TemporaryService, temporaryService } from '../service/support.ts';
import { inProcess } from '../support/in-process.ts';
import { environment, program, run, temporaryFolder } from '../support/program.ts';
import { signIn } from '../support/sign-in.ts';

const commands = await loadCommands(commandTree);
const exampleId = '4f2c0c1e-6a53-4bd2-9a2e-1f1f3f0b9c11';
const exampleService = 'https://api.example.com';

/** Examples that go on running, ask a question, need PostgreSQL or set up a shell. */
const isNotRunHere = (line: string): boolean =>
  /^vals (?:serve|mcp|run --http|login \S+$)|postgres:|^eval| source$/.test(line) ||
  (/ rm | --end /.test(line) && !line.includes('--yes'));

const examples = commands.flatMap(({ path, examples }) => {
  const lines = examples.filter((line) => !isNotRunHere(line));
  const forJson = lines.find((line) => !/json| > |--code/.test(line));
  return lines.map((line) => ({ path, line, isForJson: line === forJson }));
});

/** What is said where the machine of an example has no store yet, or the service has the code already. */
const notes = /^(?:Created the store .*|Using the store .*|Version \d+ already has this code)\.$\n?/gm;

it.each(examples)('the example `$line` works', async ({ line, isForJson }) => {
  const inJson = line.startsWith('vals run ') ? line.replace('run', 'run --json') : `${line} --json`;
  const { stdout, stderr, exit } = await runExample(isForJson ? inJson : line);
  expect({ exit, stderr: stderr.replace(notes, '') }).toEqual({ exit: 0, stderr: '' });
  if (!/ > |runs hello/.test(line)) expect(stdout).not.toBe('');
  if (isForJson) {
    JSON.parse(stdout);
    expect(stdout).toMatch(/^[^\n]+\n$/);
  }
});

function wordsOf(command: string): string[] | undefined {
  if (command.startsWith('vals run ')) return undefined;
  const plain = /^vals((?: (?:[\w./:@,=+-]+|'[^']*'|"[^"$`\\]*"))+)$/.exec(command)?.[1];
  return plain?.match(/'[^']*'|"[^"]*"|\S+/g)?.map((word) => word.replace(/^(['"])(.*)\1$/s, '$2'));
}

async function runExample(line: string) {
  const name = /vals ((val|version) (?!create)\w+|runs) hello/.test(line) ? 'hello' : 'example';
  const { id, ...service } = await serviceWith(name);
  const folder = temporaryFolder();
  cpSync(resolve('examples'), join(folder, 'examples'), { recursive: true });
  cpSync(resolve('examples/hello.ts'), join(folder, 'hello.ts'));
  writeFileSync(join(folder, 'token.txt'), `${service.token}\n`);
  if (/vals (init|status|diff|pull)/.test(line)) {
    rmSync(join(folder, 'examples'), { recursive: true });
  }
  if (/vals open hello/.test(line)) await run(['push', 'hello.ts'], { env: service.env, home: folder });
  if (line.startsWith('vals backup')) {
    const [data = []] = [...line.matchAll(/--data \S+/g)].map(([words]) => words.split(' '));
    await run(['user', 'add', 'ada', ...data], { home: folder, cwd: folder });
  }
  if (/vals user (ls|token|rm)|vals space/.test(line)) await run(['user', 'add', 'ada'], { home: folder });
  if (/vals space (?!add)/.test(line)) {
    await run(['user', 'add', 'bob'], { home: folder });
    await run(['space', 'add', 'acme'], { home: folder });
    await run(['space', 'grant', 'acme', 'bob'], { home: folder });
  }
  if (/vals use( |$)/.test(line)) {
    const { baseUrl, token } = line.includes('@acme') ? await serviceWithSpace() : service;
    await signIn({ home: folder, token }, baseUrl);
  }
  if (/vals (status|diff|pull)/.test(line)) await makeWorkspace(service.env, folder, line.includes('diff'));

  const command = line
    .replaceAll(exampleId, id)
    .replaceAll(exampleService, service.baseUrl)
    .replace(/ \| jq .*$/, '');
  const env = environment(folder, {
    ...service.env,
    EDITOR: 'sed -i~ -e s/hello/bye/',
  });
  if (/vals (log|use\b)/.test(command)) for (const name of Object.keys(service.env)) delete env[name];
  if (/vals logout( --json)?$/.test(command)) env.VALS_BASE_URL = service.baseUrl;
  if (line.startsWith('vals token rm')) await inProcess(['token', 'add', 'ci'], { env, cwd: folder });
  const words = wordsOf(command);
  return words ? inProcess(words, { env, cwd: folder }) : inShell(command, env, folder);
}

async function serviceWithSpace(): Promise<TemporaryService> {
  const file = join(temporaryFolder(), 'target.db');
  const store = await openStore({ file });
  await createSpace(store.db, 'acme');
  await grant(store.db, 'acme', 'local', 'write');
  await store.close();
  return temporaryService({ at: file });
}

async function inShell(command: string, env: Record<string, string>, cwd: string) {
  const script = `vals() { "${process.execPath}" "${program}" "$@"; }\n${command}`;
  const { exitCode, stdout, stderr } = await execa('sh', ['-c', script], {
    env,
    extendEnv: false,
    cwd,
    reject: false,
    stripFinalNewline: false,
    stdin: 'ignore',
  });
  return { exit: exitCode, stdout, stderr };
}

const templates = mkdtempSync(join(tmpdir(), 'vals-test-'));
afterAll(() => rmSync(templates, { recursive: true }));
const made: Record<string, { file: string; id: string } | undefined> = {};

async function serviceWith(name: string): Promise<TemporaryService & { id: string }> {
  made[name] ??= await makeTemplate(name);
  const { id, file } = made[name];
  const copy = join(temporaryFolder(), 'vals.db');
  cpSync(file, copy);
  return { id, ...(await temporaryService({ at: copy })) };
}

async function makeTemplate(name: string): Promise<{ file: string; id: string }> {
  const file = join(templates, `${name}.db`);
  const { env, close } = await temporaryService({
    runs: [{ val: { name: 'popular', version: 1 }, runStartAt: new Date().toISOString(), error: 'it broke' }],
    at: file,
  });
  let id = '';
  for (const code of ['export default 1', 'export default 2', readFileSync('examples/hello.ts', 'utf8')]) {
    const { stdout } = await run(['push', '-', '--name', name, '--json'], { env, input: code });
    id = JSON.parse(stdout)[0].id;
  }
  const input = `import 'http://127.0.0.1/v1/vals/${id}/module';`;
  await run(['push', '-', '--name', `user_of_${name}`], { env, input });
  await close();
  return { file, id };
}

async function makeWorkspace(env: Record<string, string>, folder: string, changed: boolean): Promise<void> {
  for (const args of [['init'], ['push']]) {
    expect(await run(args, { env, home: folder })).toMatchObject({ exit: 0, stderr: '' });
  }
  if (changed) writeFileSync(join(folder, 'hello.ts'), 'export default 4');
}
