import { readFileSync, realpathSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { runProcess, shellAtTerminal, temporaryFolder } from '../support/program.ts';
import { folderWith, isThere, startRun } from './folder.ts';

const [major = 0] = process.versions.node.split('.').map(Number);
const reading = (path: string) =>
  `import { readFileSync } from 'node:fs'; export default () => readFileSync(${JSON.stringify(path)}, 'utf8')`;

describe('in the sandbox, a val', () => {
  it('reads its project, and lists folders in it', async () => {
    const { run } = folderWith({
      'sub/a.ts':
        'import { existsSync, readdirSync, readFileSync } from "node:fs";\n' +
        'export default () => [readFileSync("data.csv", "utf8"), readFileSync(new URL("./b.txt", import.meta.url), "utf8"),\n' +
        'readdirSync("."), existsSync("absent")]',
      'sub/b.txt': 'beside',
      'data.csv': '1,2',
      'package.json': '{}',
    });
    expect(JSON.parse((await run(['sub/a.ts'])).stdout)).toEqual([
      '1,2',
      'beside',
      ['data.csv', 'package.json', 'sub'],
      false,
    ]);
  });

  it('reads another file only with --allow-read', async () => {
    const folder = temporaryFolder();
    const other = join(folder, 'secret.txt');
    writeFileSync(other, 'secret');
    const { run } = folderWith({ 'a.ts': reading(other) });
    const { exit, error } = await run(['--json', 'a.ts']);
    expect({ exit, message: error?.message }).toEqual({
      exit: 12,
      message: `a.ts failed: Error: Access to this API has been restricted (FileSystemRead, ${other}) (a.ts:1:62).`,
    });
    expect(error?.hint).toContain(`add --allow-read ${other} before the file or val.`);
    for (const allowed of [other, folder, join(folder, '*')]) {
      expect((await run(['--allow-read', allowed, 'a.ts'])).stdout).toBe('secret\n');
    }
    expect((await run(['--allow-all', 'a.ts'])).stdout).toBe('secret\n');
  });

  it('writes only with --allow-write', async () => {
    const { path, run } = folderWith({
      'a.ts':
        'import { mkdirSync, writeFileSync } from "node:fs"; export default () => { mkdirSync("out"); writeFileSync("out/b.txt", "b") }',
    });
    const { exit, error } = await run(['--json', 'a.ts']);
    expect({ exit, hint: error?.hint }).toEqual({
      exit: 12,
      hint: expect.stringMatching(/add --allow-write \S+ before the file or val\.$/),
    });
    expect((await run(['--allow-write', 'out', 'a.ts'])).exit).toBe(0);
    expect(readFileSync(join(path, 'out/b.txt'), 'utf8')).toBe('b');
  });

  it.each([
    [
      'starts a program',
      'const { execFileSync } = require("node:child_process"); module.exports = () => String(execFileSync(process.execPath, ["-p", "5"]))',
      /^5\n/,
    ],
    [
      'loads a native addon',
      'module.exports = () => { process.dlopen({ exports: {} }, "absent.node"); }',
      /absent\.node/,
    ],
    ...(major > 20
      ? ([
          [
            'starts a thread',
            'const { Worker } = require("node:worker_threads"); module.exports = () => { new Worker("0", { eval: true }); return "5" }',
            /^5\n/,
          ],
        ] as const)
      : []),
  ] as const)('%s only with --allow-run', async (_what, code, allowed) => {
    const { run } = folderWith({ 'a.cjs': code });
    const { exit, error } = await run(['--json', 'a.cjs']);
    expect({ exit, hint: error?.hint }).toEqual({
      exit: 12,
      hint: expect.stringContaining('add --allow-run before the file or val.'),
    });
    const { stdout, stderr } = await run(['--allow-run', 'a.cjs']);
    expect(stdout + stderr).toMatch(allowed);
  });

  it('of the home folder reads only itself and its packages', async () => {
    const home = realpathSync(temporaryFolder());
    writeFileSync(join(home, 'a.ts'), reading(join(home, 'b.txt')));
    writeFileSync(join(home, 'b.txt'), 'private');
    const { exit, stderr } = await runProcess(['run', 'a.ts'], { home, cwd: home });
    expect({ exit, denied: stderr.includes('FileSystemRead') }).toEqual({ exit: 12, denied: true });
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

  it('may use the network, change prototypes and use what Node has', async () => {
    const { run } = folderWith({
      'a.ts':
        'import { createServer } from "node:http"; Object.defineProperty(Object.prototype, "should", { get() { return 1 } });\n' +
        'export default () => new Promise((done) => { const server = createServer((_, a) => a.end("net")).listen(0, async () => {\n' +
        'const { port } = server.address() as { port: number }; const text = await (await fetch("http://127.0.0.1:" + port)).text();\n' +
        'server.close(); server.closeAllConnections(); done(text) }) })',
    });
    expect((await run(['a.ts'])).stdout).toBe('net\n');
  });
});

it('programs that a val starts are programs like any other', async () => {
  const { runProcess } = folderWith({
    'a.mjs': `import { fork, execFileSync } from 'node:child_process'; import cluster from 'node:cluster';
      if (cluster.isPrimary) { console.log('node', String(execFileSync(process.execPath, ['-p', 'process.permission'])).trim());
        cluster.fork().on('exit', (code) => fork('b.mjs').on('message', (word) => console.log(code, word))) }
      else process.exit(4)`,
    'b.mjs': 'process.send("forked"); process.disconnect()',
  });
  for (const allowing of ['--allow-run', '--allow-all']) {
    const { stdout, stderr } = await runProcess([allowing, 'a.mjs']);
    expect({ stdout, stderr }).toEqual({ stdout: 'node undefined\n4 forked\n', stderr: '' });
  }
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
  '--inspect and --inspect-brk start the debugger, if need be without the sandbox',
  async () => {
    const code = 'console.log("ran"); setInterval(() => {}, 1e3)';
    const { vals, shows, text } = startRun(['--inspect=0', 'a.ts'], { 'a.ts': code });
    await shows('stderr', 'Debugger listening on ws://127.0.0.1:');
    await shows('stdout', 'ran');
    expect(text.stderr.includes('runs without the sandbox')).toBe(major < 24);
    const waiting = startRun(['--inspect-brk=127.0.0.1:0', 'a.ts', '--inspect=0'], { 'a.ts': code });
    await waiting.shows('stderr', 'Debugger listening on ws://127.0.0.1:');
    waiting.vals.kill('SIGINT');
    await waiting.vals;
    expect(waiting.text.stdout).toBe('');
    vals.kill('SIGINT');
    await vals;
  },
);

describe.skipIf(process.platform === 'win32')('the processes of a val end', () => {
  const deafParent = `import { spawn } from 'node:child_process';
    const child = spawn(process.execPath, ['-e', 'process.on("SIGTERM", () => {}); process.on("SIGINT", () => console.error("program asked")); setInterval(() => {}, 1e3); console.log("up")'], { stdio: ['ignore', 'pipe', 'inherit'] });
    child.stdout.once('data', () => console.error('ids ' + process.pid + ' ' + child.pid + ' end'));
    process.on('SIGTERM', () => {}); process.on('SIGINT', () => console.error('val asked'));
    setInterval(() => {}, 1e3)`;
  const idsIn = (text: string) => /ids (\d+) (\d+) end/.exec(text)?.slice(1).map(Number) ?? [];
  const allGone = (ids: number[]) => expect.poll(() => ids.filter(isThere)).toEqual([]);

  it('after the time limit', async () => {
    const { vals, text } = startRun(['--allow-run', '--max-time', '1', 'a.ts'], { 'a.ts': deafParent });
    expect((await vals).exitCode).toBe(12);
    expect(text.stderr).toContain('took longer than 1 s');
    await allGone(idsIn(text.stderr));
  });

  it.each(['SIGINT', 'SIGKILL'] as const)('after %s', async (signal) => {
    const { vals, text, shows } = startRun(['--allow-run', 'a.ts'], { 'a.ts': deafParent });
    await shows('stderr', ' end');
    vals.kill(signal);
    await vals;
    for (const asked of ['val asked', 'program asked']) {
      expect(text.stderr.includes(asked)).toBe(signal === 'SIGINT');
    }
    expect(idsIn(text.stderr)).toHaveLength(2);
    await allGone(idsIn(text.stderr));
  });

  it('by other signals, unless the val handles them', async () => {
    const code = `process.on('SIGHUP', () => console.log('hup')); process.on('SIGUSR2', () => console.log('usr2'));
      setInterval(() => {}, 1e3); console.log('up')`;
    const { vals, shows } = startRun(['a.ts'], { 'a.ts': code });
    await shows('stdout', 'up');
    for (const name of ['SIGHUP', 'SIGUSR2'] as const) {
      vals.kill(name);
      await shows('stdout', name.slice(3).toLowerCase());
    }
    vals.kill('SIGQUIT');
    expect((await vals).signal).toBe('SIGQUIT');
  });

  it("after the val's own handler of SIGTERM, which has its time", async () => {
    const code = `process.on('SIGTERM', () => setTimeout(() => { console.log('bye'); process.exit() }, 100));
      setInterval(() => {}, 1e3); console.log('up')`;
    const { vals, text, shows } = startRun(['a.ts'], { 'a.ts': code });
    await shows('stdout', 'up');
    vals.kill('SIGTERM');
    await vals;
    expect(text.stdout).toBe('up\nbye\n');
  });
});
