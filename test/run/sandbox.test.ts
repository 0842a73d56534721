import { readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import * as nodeModule from 'node:module';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { isRunning } from '../../src/core/lib/system.ts';
import { runProcess, shellAtTerminal, temporaryFolder } from '../support/program.ts';
import { scriptedService } from '../support/scripted-service.ts';
import { folderWith, startRun } from './folder.ts';
import { webOf } from './web.ts';

const id = '4f2c0c1e-6a53-4bd2-9a2e-1f1f3f0b9c11';
const [major = 0] = process.versions.node.split('.').map(Number);
/** Before, the loader hooks need a thread, so threads cannot be refused. */
const refusesThreads = 'registerHooks' in nodeModule;
const reading = (path: string) =>
  `import { readFileSync } from 'node:fs'; export default () => readFileSync(${JSON.stringify(path)}, 'utf8')`;

/** Tries everything, and returns what came of it: a result, or the permission that is missing. */
const trying = (outside: string) => `import * as fs from "node:fs"; import { createServer } from "node:http";
  import { execFileSync } from "node:child_process"; import { Worker } from "node:worker_threads";
  Object.defineProperty(Object.prototype, "should", { get() { return 1 } });
  const attempt = async (work: () => unknown) => { try { return await work() } catch (error: any) { return error.permission ?? error.code } };
  const fetched = () => new Promise((done) => { const server = createServer((_, a) => a.end("net")).listen(0, async () => {
    const { port } = server.address() as { port: number }; const text = await (await fetch("http://127.0.0.1:" + port)).text();
    server.close(); server.closeAllConnections(); done(text) }) });
  const answered = () => new Promise((done) => new Worker(new URL("./thread.ts", import.meta.url)).on("message", done));
  export default async () => ({
    project: [fs.readFileSync("data.csv", "utf8"), fs.readFileSync(new URL("./b.txt", import.meta.url), "utf8"), fs.readdirSync("sub"), fs.existsSync("absent")],
    net: await fetched(),
    thread: await attempt(answered),
    read: await attempt(() => fs.readFileSync(${JSON.stringify(outside)}, "utf8")),
    write: await attempt(() => { fs.mkdirSync("out", { recursive: true }); fs.writeFileSync("out/b.txt", "b"); return "written" }),
    program: await attempt(() => String(execFileSync(process.execPath, ["-p", "5"])).trim()),
    addon: await attempt(() => process.dlopen({ exports: {} } as any, "absent.node")) })`;

describe('in the sandbox, a val', () => {
  it('reads its project and uses the network; the rest needs --allow-read, --allow-write and --allow-run', async () => {
    const outside = temporaryFolder();
    writeFileSync(join(outside, 'secret.txt'), 'secret');
    const { path, runProcess } = folderWith({
      'sub/a.ts': trying(join(outside, 'secret.txt')),
      'sub/b.txt': 'beside',
      'sub/thread.ts':
        'import { parentPort } from "node:worker_threads"; import { c } from "./c.ts"; parentPort!.postMessage(c)',
      'sub/c.ts': 'export const c: string = "from a thread"',
      'data.csv': '1,2',
      'package.json': '{}',
    });
    const always = { project: ['1,2', 'beside', ['a.ts', 'b.txt', 'c.ts', 'thread.ts'], false], net: 'net' };
    const refused = await runProcess(['sub/a.ts']);
    expect(JSON.parse(refused.stdout)).toEqual({
      ...always,
      read: 'FileSystemRead',
      write: 'FileSystemWrite',
      program: 'ChildProcess',
      addon: 'ERR_DLOPEN_DISABLED',
      thread: refusesThreads ? 'WorkerThreads' : 'from a thread',
    });
    const allowing = ['--allow-read', join(outside, '*'), '--allow-write', 'out', '--allow-run'];
    const allowed = await runProcess([...allowing, 'sub/a.ts']);
    expect(allowed.stderr).toBe('');
    expect(JSON.parse(allowed.stdout)).toEqual({
      ...always,
      ...{ read: 'secret', write: 'written', program: '5' },
      ...{ addon: 'ERR_DLOPEN_FAILED', thread: 'from a thread' },
    });
    expect(readFileSync(join(path, 'out/b.txt'), 'utf8')).toBe('b');
    const all = await runProcess(['--allow-all', 'sub/a.ts']);
    expect(JSON.parse(all.stdout)).toEqual(JSON.parse(allowed.stdout));
  });

  it('gets no file by an import if its code is from the service or the web', async () => {
    const { path, run } = folderWith({ 'b.json': '{"b":1}', 'c.ts': 'export const c: string = "c"' });
    const refused = { exit: 12, error: { message: expect.stringContaining('FileSystemRead') } };
    const val = { id, name: 'one', version: 3, code: 'import { c } from "./c.ts"; export default () => c' };
    const service = await scriptedService([{ body: val }]);
    expect(await run(['--json', '--no-report', id], { env: service.env })).toMatchObject(refused);
    const { url, pages } = await webOf({});
    pages['/x.js'] = { body: `export { default } from "file://${path}/b.json" with { type: "json" }` };
    const own = folderWith({ 'a.ts': `import b from "${url}/x.js"; export default b` });
    expect(await own.run(['--json', 'a.ts'])).toMatchObject(refused);
  });

  it.skipIf(process.platform === 'win32')(
    'of a project that is reached by a link reads the project',
    async () => {
      const { path } = folderWith({
        'real/a.ts': reading('b.txt'),
        'real/b.txt': 'b',
        'real/package.json': '{}',
      });
      symlinkSync('real', join(path, 'link'));
      const { stdout } = await runProcess(['run', 'a.ts'], { cwd: join(path, 'link') });
      expect(stdout).toBe('b\n');
    },
  );
});

it.skipIf(process.platform === 'win32')(
  'at a terminal, a val is in the foreground: /dev/tty, Ctrl-Z and fg work, and Ctrl-C comes once',
  async () => {
    const code = `import { openSync } from 'node:fs'; openSync('/dev/tty', 'r+');
      let ticks = 0; process.on('SIGINT', () => { console.log('asked ' + ticks); setTimeout(() => process.exit(), 100) });
      process.on('SIGCONT', () => console.log('goes on')); setInterval(() => console.log('tick ' + ticks++), 20)`;
    const { path } = folderWith({ 'a.ts': code });
    const { press, shows, text } = shellAtTerminal('exec bash --norc -i', {}, path);
    await shows(/[#$] $/);
    press('$vals run a.ts\r');
    await shows('tick 5');
    press('\u001a');
    await shows('Stopped');
    press('fg\r');
    await shows('goes on');
    press('\u0003');
    await shows('asked ');
    press('echo "ended with $?"\r');
    await shows('ended with 130');
    expect(text().split('asked ')).toHaveLength(2);
    press('exit\r');
  },
);

it.skipIf(process.platform === 'win32')(
  '--inspect-brk starts the debugger and waits for it, if need be without the sandbox',
  async () => {
    const files = { 'a.ts': 'console.log("ran")' };
    const { vals, ended, shows, text } = startRun(
      ['--inspect-brk=127.0.0.1:0', 'a.ts', '--inspect=0'],
      files,
    );
    await shows('stderr', 'Debugger listening on ws://127.0.0.1:');
    vals.kill('SIGINT');
    await ended;
    expect(text.stdout).toBe('');
    expect(text.stderr.includes('runs without the sandbox')).toBe(major < 24);
  },
);

describe.skipIf(process.platform === 'win32')('the processes of a val end', () => {
  const deafParent = `import { spawn } from 'node:child_process';
    const child = spawn(process.execPath, ['-e', 'process.on("SIGTERM", () => {}); process.on("SIGINT", () => console.error("program asked")); setInterval(() => {}, 1e3); console.log("up")'], { stdio: ['ignore', 'pipe', 'inherit'] });
    child.stdout.once('data', () => console.error('ids ' + process.pid + ' ' + child.pid + ' end'));
    process.on('SIGTERM', () => {}); process.on('SIGINT', () => console.error('val asked'));
    setInterval(() => {}, 1e3)`;
  const idsIn = (text: string) => /ids (\d+) (\d+) end/.exec(text)?.slice(1).map(Number) ?? [];
  const allGone = (ids: number[]) => expect.poll(() => ids.filter(isRunning)).toEqual([]);

  it.each(['SIGINT', 'SIGKILL', 'time limit'] as const)('after %s', async (signal) => {
    const limit = signal === 'time limit' ? ['--max-time', '1'] : [];
    const { vals, ended, text, shows } = startRun(['--allow-run', ...limit, 'a.ts'], { 'a.ts': deafParent });
    if (signal !== 'time limit') {
      await shows('stderr', ' end');
      vals.kill(signal);
    }
    const { exit } = await ended;
    if (signal === 'time limit') {
      expect(exit).toBe(12);
      expect(text.stderr).toContain('a.ts took longer than 1 s and was ended.');
      expect(text.stderr).toContain('add --max-time <seconds> before the file or val.');
    }
    for (const asked of ['val asked', 'program asked']) {
      expect(text.stderr.includes(asked)).toBe(signal === 'SIGINT');
    }
    if (signal !== 'time limit') expect(idsIn(text.stderr)).toHaveLength(2);
    await allGone(idsIn(text.stderr));
  });

  it("after the val's own handler of SIGTERM, which has its time", async () => {
    const code = `process.on('SIGTERM', () => setTimeout(() => { console.log('bye'); process.exit() }, 100));
      setInterval(() => {}, 1e3); console.log('up')`;
    const { vals, ended, text, shows } = startRun(['a.ts'], { 'a.ts': code });
    await shows('stdout', 'up');
    vals.kill('SIGTERM');
    await ended;
    expect(text.stdout).toBe('up\nbye\n');
  });
});
