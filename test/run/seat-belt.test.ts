// What the process of a val is not told, may not do, and does not outlive.
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { execa } from 'execa';
import { describe, expect, it } from 'vitest';
import { environment, program, temporaryFolder } from '../support/program.ts';
import { deaf, folderWith } from './folder.ts';

const denied: [what: string, code: string][] = [
  ['write a file', 'writeFileSync("x", "")'],
  ['read elsewhere', 'readFileSync("/etc/hostname")'],
  ['start a program', 'spawn("true")'],
  ['start a thread', 'new Worker("1", { eval: true })'],
];
const imports =
  'import { readFileSync, writeFileSync } from "node:fs"; import { spawn } from "node:child_process";\n' +
  'import { Worker } from "node:worker_threads";\n';

describe('a val', () => {
  it.each(denied)('may not %s, unless it may do all', async (_what, code) => {
    const { run } = folderWith({ 'a.ts': `${imports}export default () => { ${code} }` });
    const { exit, error } = await run(['--json', 'a.ts']);
    expect(exit).toBe(12);
    expect(error).toMatchObject({
      message: expect.stringContaining('restricted'),
      hint: expect.stringContaining('--allow-all'),
    });
    expect(await run(['--allow-all', 'a.ts'])).toMatchObject({ exit: 0, stderr: '' });
  });

  it('may read its own folder', async () => {
    const { run } = folderWith({
      'a.ts':
        'import { readFileSync } from "node:fs"; export default () => readFileSync("data/x.txt", "utf8")',
      'data/x.txt': 'mine',
    });
    expect(await run(['a.ts'])).toMatchObject({ exit: 0, stdout: 'mine' });
  });

  it('may not read the folder that holds what vals keeps', async () => {
    const home = temporaryFolder();
    mkdirSync(join(home, '.config/vals'), { recursive: true });
    writeFileSync(join(home, '.config/vals/config.json'), '{}');
    const files = {
      'read.ts': 'import { readFileSync } from "node:fs"; readFileSync(".config/vals/config.json")',
      'import.ts': 'import "./.config/vals/config.json"',
    };
    for (const [file, code] of Object.entries(files)) {
      writeFileSync(join(home, file), code);
      const { stderr } = await folderWith({}).run([file], { cwd: home, home });
      expect(stderr).toMatch(/restricted|may not read/);
    }
  });

  it.each([[[]], [['--allow-all']]])('knows neither token nor settings with %j', async (flags) => {
    const { run } = folderWith({
      'a.ts': 'export default () => [process.env, process.argv, process.execArgv]',
    });
    const env = { VALS_TOKEN: 'a-secret-token', VALS_TIMEOUT: '5', KEPT: 'kept' };
    const { stdout } = await run([...flags, 'a.ts'], { env });
    expect(stdout).toContain('"KEPT":"kept"');
    expect(stdout).not.toMatch(/VALS_|a-secret-token/);
  });
});

/** Until a line of the val says that it is there, with the ids of its processes. */
async function started(args: readonly string[], code: string) {
  const { path } = folderWith({ 'a.ts': code });
  const vals = execa(process.execPath, [program, 'run', ...args, 'a.ts'], {
    cwd: path,
    env: environment(temporaryFolder()),
    extendEnv: false,
    reject: false,
  });
  const ids = await new Promise<number[]>((resolve) => {
    let text = '';
    vals.stderr.on('data', (chunk) => {
      text += chunk;
      const found = /^ids (.*)$/m.exec(text)?.[1];
      if (found) resolve(found.split(' ').map(Number));
    });
  });
  return { vals, ids };
}

async function areGone(ids: readonly number[]): Promise<void> {
  for (const id of ids) await expect.poll(() => isThere(id), { timeout: 10_000 }).toBe(false);
}

function isThere(id: number): boolean {
  try {
    return process.kill(id, 0);
  } catch {
    return false;
  }
}

describe('the process of a val, and what it started, are gone after', () => {
  const busy =
    'import { spawn } from "node:child_process"; const { pid } = spawn("sleep", ["99"]);\n' +
    `console.log("ids", process.pid, pid); ${deaf};`;

  it('its time', async () => {
    const { vals, ids } = await started(['--allow-all', '--max-time', '1'], busy);
    const { exitCode, stderr } = await vals;
    expect({ exitCode, said: stderr.includes('took longer than 1 s') }).toEqual({ exitCode: 12, said: true });
    await areGone(ids);
  });

  it.each([
    ['SIGINT', 130],
    ['SIGTERM', 143],
  ] as const)('%s', async (signal, exit) => {
    const { vals, ids } = await started(['--allow-all'], busy);
    vals.kill(signal);
    expect((await vals).exitCode).toBe(exit);
    await areGone(ids);
  });

  it('the kill of vals', async () => {
    const { vals, ids } = await started(['--allow-all'], busy.replace(deaf, 'setInterval(() => {}, 1000)'));
    vals.kill('SIGKILL');
    await areGone(ids);
  });

  it('its own end', async () => {
    const code =
      'const { pid } = (await import("node:child_process")).spawn("sleep", ["99"]);\nconsole.log("ids", pid); export default () => 1;';
    const { vals, ids } = await started(['--allow-all'], code);
    expect((await vals).exitCode).toBe(0);
    await areGone(ids);
  });
});
