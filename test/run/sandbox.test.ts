import { chmodSync, chownSync, mkdirSync, readdirSync, symlinkSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:net';
import { join } from 'node:path';
import { execa } from 'execa';
import { describe, expect, it, onTestFinished } from 'vitest';
import { environment, exitStatus, folderOf, program, temporaryFolder } from '../support/program.ts';
import { deaf, folderWith, isThere, startRun } from './folder.ts';

const hasSqlite = Number(process.versions.node.split('.')[0]) >= 22;
const isRootOrWindows = process.platform === 'win32' || process.getuid?.() === 0;
const imports =
  'import { readFileSync, writeFileSync } from "node:fs"; import { spawn } from "node:child_process";\n' +
  'import { Worker } from "node:worker_threads";\n';

describe('a val may not', () => {
  const attempts = [
    ['write a file', 'writeFileSync("x", "")'],
    ['read elsewhere', 'readFileSync("/etc/hostname")'],
    ['read a file beside it', 'readFileSync("a.ts")'],
    ['start a program', 'spawn("true")'],
    ['start a thread', 'new Worker("1", { eval: true })'],
    ['send a signal', 'process.kill(process.ppid, 0)'],
    ['send a signal to a group', 'process.kill(-process.pid, 0)'],
    ['open the debugger of vals', 'process.kill(process.ppid, "SIGUSR1")'],
    [
      'send a signal through the handle of a child process',
      '(new (process.getBuiltinModule("node:child_process").ChildProcess)() as any)._handle.kill(0)',
    ],
    ['open the debugger of vals by name', '(process as any)._debugProcess(process.ppid)'],
    [
      'change the priority of vals',
      '(await import("node:os")).setPriority(process.ppid, (await import("node:os")).getPriority(process.ppid))',
    ],
    [
      'change the priority of vals through the module object',
      'const os = process.getBuiltinModule("os"); os.setPriority(process.ppid, os.getPriority(process.ppid))',
    ],
    [
      'create a socket file',
      'const server = (await import("node:net")).createServer(); await new Promise<void>((done) => server.listen("s", done)); server.close()',
    ],
    [
      'send a signal with two numbers in one',
      'let n = 0; process.kill({ valueOf: () => (n++ < 2 ? process.pid : process.ppid) } as any, 0)',
    ],
    ['change the working directory', 'process.chdir("/")'],
    ['make Node write a report when its memory is full', 'process.report.reportOnFatalError = true'],
  ] as const;

  it('do any of this, except with --allow-all', async () => {
    const tried = attempts.map(([what, code]) => `await attempt("${what}", async () => { ${code} });`);
    const { run } = folderWith({
      'a.ts': `${imports}const refused: string[] = [];
        const attempt = (what: string, code: () => Promise<void>) =>
          code().catch((error) => { if (error.message.includes("restricted")) refused.push(what) });
        export default async () => { ${tried.join('\n')} return refused }`,
    });
    const { stdout, stderr } = await run(['a.ts']);
    expect({ stdout: JSON.parse(stdout), stderr }).toEqual({
      stdout: attempts.map(([what]) => what),
      stderr: '',
    });
    expect(await run(['--allow-all', 'a.ts'])).toMatchObject({ exit: 0, stdout: '[]\n', stderr: '' });
  });

  it('fail with such an attempt without a hint', async () => {
    const { run } = folderWith({ 'a.ts': `${imports}export default () => writeFileSync("x", "")` });
    const { exit, error } = await run(['--json', 'a.ts']);
    expect({ exit, error }).toMatchObject({
      exit: 12,
      error: {
        message: expect.stringContaining('restricted'),
        hint: expect.stringMatching(/cannot write files .* `vals run --allow-all <val>`/),
      },
    });
  });

  it
    .skipIf(!hasSqlite)
    .each([
      'await import("node:sqlite")',
      'process.getBuiltinModule("node:sqlite").DatabaseSync',
      'process.getBuiltinModule("module").createRequire("/x")("node:sqlite")',
    ])('open a database with %s', async (code) => {
    const { run } = folderWith({ 'a.ts': `export default async () => { ${code}; return 1 }` });
    expect((await run(['a.ts'])).exit).toBe(12);
  });

  it.each([
    [
      'flags of V8',
      'v8.setFlagsFromString("--trace-turbo-cfg-file=written"); v8.setFlagsFromString("--trace-turbo");' +
        'const sum = (n: number) => { let all = 0; for (let i = 0; i < n; i++) all += i; return all };' +
        'for (let i = 0; i < 3_000; i++) sum(1_000)',
    ],
    ['a trace', 'trace_events.createTracing({ categories: ["node"] }).enable()'],
  ])('write a file through %s', async (_what, code) => {
    const { path, run } = folderWith({
      'a.ts': `import v8 from "node:v8"; import trace_events from "node:trace_events"; export default () => { ${code} }`,
    });
    await run(['a.ts']);
    expect(readdirSync(path)).toEqual(['a.ts']);
  });

  it('take back the right to change the working directory', async () => {
    const code =
      'const before = process.cwd(); let denied = 0;' +
      'for (const change of [() => { const before = process.chdir; process.chdir = (path) => before(path); Object.setPrototypeOf(process.chdir, before) }, () => { delete (process as any).chdir },' +
      '() => Object.defineProperty(process, "chdir", { value: () => {} }), () => new Response()])' +
      'try { try { change() } catch {} process.chdir("/") } catch { denied++ }\n' +
      'export default () => [denied, process.cwd() === before]';
    expect((await folderWith({ 'a.ts': code }).run(['a.ts'])).stdout).toBe('[4,true]\n');
  });

  it.skipIf(process.platform === 'win32')('read a file through .. behind a link', async () => {
    const code = `import fs, { readFileSync } from "node:fs"; import { readFile } from "node:fs/promises";
import { createRequire, findSourceMap } from "node:module";
const path = process.cwd() + "/link/../node_modules/out/config.json";
const likeUrl = { href: "x", protocol: "file:", hostname: "", pathname: path };
const require = createRequire(process.cwd() + "/a.ts");
const ways = {
  text: () => readFileSync(path),
  relative: () => fs.readFileSync("link/../node_modules/out/config.json"),
  bytes: () => fs.readFileSync(Buffer.from(path)),
  object: () => fs.readFileSync(likeUrl as any),
  promise: () => readFile(path),
  stream: async () => { for await (const piece of fs.createReadStream(path)) return piece },
  native: () => readFileSync(fs.realpathSync.native(path)),
  variables: () => process.loadEnvFile(path),
  sourceMap: () => {
    process.setSourceMapsEnabled(true);
    Object.assign(Object.prototype, { sources: [], mappings: "" });
    const change = { get(this: URL) { Object.defineProperty(this, "pathname", { value: path }); return "" } };
    try { Object.defineProperty(URL.prototype, "hostname", change) } catch {}
    require("b");
    if (!findSourceMap(require.resolve("b"))) throw new Error("no source map");
  },
  number: () => { Object.assign(Number.prototype, likeUrl); return readFile(5 as any) },
};
export default async () => {
  const read = [];
  for (const [way, tryIt] of Object.entries(ways)) try { await tryIt(); read.push(way) } catch {}
  return read;
}`;
    const { path, run } = folderWith({
      'a.ts': code,
      'node_modules/b/index.js': '//# sourceMappingURL=b.map',
      'other/x/y': '',
      'other/node_modules/y': '',
    });
    symlinkSync('other/x', join(path, 'link'));
    symlinkSync(folderOf({ 'config.json': '{}' }), join(path, 'other/node_modules/out'));
    expect(await run(['a.ts'])).toMatchObject({ exit: 0, stdout: '[]\n', stderr: '' });
  });

  it('make a library of the system print a file', async () => {
    const file = join(folderOf({ 'config.json': 'a-secret' }), 'config.json');
    const code = `import { lookupService } from "node:dns"; process.env.RESOLV_HOST_CONF = ${JSON.stringify(file)};
export default () => new Promise<void>((done) => lookupService("127.0.0.1", 80, () => done()))`;
    const { exit, stderr } = await folderWith({ 'a.ts': code }).runProcess(['a.ts']);
    expect({ exit, stderr }).toEqual({ exit: 0, stderr: '' });
  });

  it.skipIf(process.platform === 'win32')('read a file that it names as its time zone', async () => {
    const secret = folderOf({ 'config.json': 'a-secret' });
    const code = `import fs from "node:fs";
RegExp.prototype.exec = () => ["anything"] as any;
const paths = ["/config.json", "/./config.json"].map((path) => ${JSON.stringify(secret)} + path);
const next = fs.openSync(process.cwd() + "/node_modules/b.txt");
fs.closeSync(next);
const read = (bytes = Buffer.alloc(99)) =>
  new Promise((done) => fs.read(next, bytes, 0, 99, 0, (_error, count) => done(bytes.toString("utf8", 0, count))));
const texts = new Set();
for (let round = 0; round < 10; round++) {
  const reads = [];
  for (let i = 0; i < 2_000; i++) { reads.push(read()); process.env.TZ = paths[i % 2] }
  for (const text of await Promise.all(reads)) texts.add(text);
}
export default () => texts.has("a-secret")`;
    const { run } = folderWith({ 'a.ts': code, 'node_modules/b.txt': 'b' });
    expect((await run(['a.ts'])).stdout).toBe('false\n');
  });

  it('load internal modules of Node through an object that it clones', async () => {
    const code = `const symbols = Object.getOwnPropertySymbols(Blob.prototype);
const find = (name: string) => symbols.find(({ description }) => description?.includes(name)) ?? name;
const clone = find("clone"); const deserialize = find("deserialize");
let found = "nothing";
Reflect.defineProperty(Object.prototype, deserialize, { configurable: true, value() {} });
Reflect.defineProperty(Object.prototype, "filename", { configurable: true, set() { found = this.constructor.name } });
const deserializeInfo = "internal/bootstrap/realm:BuiltinModule";
try { structuredClone(Object.assign(new Blob(), { [clone]: () => ({ data: {}, deserializeInfo }) })) } catch {}
Reflect.deleteProperty(Object.prototype, deserialize); Reflect.deleteProperty(Object.prototype, "filename");
export default () => found`;
    expect(await folderWith({ 'a.ts': code }).run(['a.ts'])).toMatchObject({ stdout: 'nothing', stderr: '' });
  });

  it('start a thread with module.register', async () => {
    const code = 'import { register } from "node:module"; register("data:text/javascript,")';
    const { error } = await folderWith({ 'a.ts': code }).run(['--json', 'a.ts']);
    expect(error?.message).toContain('restricted');
  });

  const secret = '{"token":"a-secret"}';
  it.each([
    ['by its path', (file: string) => `import * as x from ${JSON.stringify(file)}`],
    ['by its URL', (file: string) => `const x = await import("file://${file}")`],
    ['by a path upwards', (file: string) => `import * as x from ".${'/..'.repeat(9)}${file}"`],
    ['through a link', () => 'import * as x from "./link.json"'],
  ])('import a file outside of its folder %s', async (_how, code) => {
    const outside = temporaryFolder();
    for (const name of ['config.json', 'config.ts']) {
      const file = join(outside, name);
      writeFileSync(file, name.endsWith('ts') ? `export default ${secret}` : secret);
      const { path, run } = folderWith({ 'a.ts': `${code(file)}; export default () => x.default` });
      symlinkSync(file, join(path, 'link.json'));
      const { exit, stdout, error } = await run(['--json', 'a.ts']);
      expect({ exit, stdout }).toEqual({ exit: 12, stdout: '' });
      expect(error?.message).toContain('which is outside of the project folder');
      expect(error?.hint).toContain('`vals run --allow-all <val>`');
      if (code.length === 1) {
        expect((await run(['--allow-all', 'a.ts'])).stdout).toBe(`${secret}\n`);
      }
    }
  });

  it('import the config of vals, even below its own folder', async () => {
    const home = temporaryFolder();
    mkdirSync(join(home, '.config/vals'), { recursive: true });
    writeFileSync(join(home, '.config/vals/config.json'), secret);
    writeFileSync(join(home, 'a.ts'), 'import "./.config/vals/config.json"');
    const { stderr } = await folderWith({}).run(['a.ts'], { cwd: home, home });
    expect(stderr).toContain('which is outside of the project folder');
  });

  it('import a file of a package around its git repository', async () => {
    const { path, run } = folderWith({
      'package.json': '{}',
      'secret.json': secret,
      'cloned/deep/a.ts': 'import x from "../../secret.json"; export default () => x',
    });
    expect((await run(['cloned/deep/a.ts'])).stdout).toBe(`${secret}\n`);
    mkdirSync(join(path, 'cloned/.git'));
    const { exit, error } = await run(['--json', 'cloned/deep/a.ts']);
    expect(exit).toBe(12);
    expect(error?.message).toContain('which is outside of the project folder');
  });

  it('import a hidden file of its project, except with --allow-all', async () => {
    const { run } = folderWith({
      'package.json': '{}',
      'vals/a.ts': 'import x from "../.docker/config.json"; export default () => x',
      '.docker/config.json': secret,
    });
    const { exit, stdout, error } = await run(['--json', 'vals/a.ts']);
    expect({ exit, stdout }).toEqual({ exit: 12, stdout: '' });
    expect(error?.message).toContain('vals/a.ts imports ../.docker/config.json, which is hidden');
    expect(error?.hint).toContain('`vals run --allow-all <val>`');
    expect((await run(['--allow-all', 'vals/a.ts'])).stdout).toBe(`${secret}\n`);
  });

  it.skipIf(process.platform !== 'linux')('import a file through a link that changes meanwhile', async () => {
    const code = `import { readSync, writeSync } from "node:fs";
const request = Buffer.from(JSON.stringify({ load: { specifier: "./link.json", from: import.meta.url } }));
const answer = Buffer.alloc(65_536);
let count = 0; let read = false;
for (const end = Date.now() + 2_000; Date.now() < end && !read; count++) {
  writeSync(3, Buffer.concat([Buffer.of(0, request.length, 0, 0, 0), request]));
  read = answer.toString("latin1", 0, readSync(3, answer)).includes("a-secret");
}
export default () => [count > 0, read]`;
    const { path, run } = folderWith({ 'a.ts': code, 'own.json': '{}' });
    const outside = join(folderOf({ 'config.json': secret }), 'config.json');
    const script = `const fs = require("node:fs"); for (;;) for (const target of ["own.json", ${JSON.stringify(outside)}]) {
  fs.symlinkSync(target, "new"); fs.renameSync("new", "link.json") }`;
    const changing = execa(process.execPath, ['-e', script], { cwd: path, reject: false });
    onTestFinished(() => void changing.kill('SIGKILL'));
    expect((await run(['a.ts'])).stdout).toBe('[true,false]\n');
  });

  it.skipIf(process.getuid?.() !== 0).each([
    ['import a package', 'node_modules', 'import "b"', 'which the val is not allowed to read'],
    ['import a file because of a package.json', 'package.json', 'import "../c.ts"', 'outside of the project'],
  ])('%s that another user put into a shared folder', async (_what, file, code, problem) => {
    const files = { 'mine/a.ts': code, 'node_modules/b/index.js': '', 'package.json': '{}', 'c.ts': '' };
    const { path, run } = folderWith(files);
    chmodSync(path, 0o1777);
    expect((await run(['mine/a.ts'])).exit).toBe(0);
    chownSync(join(path, file), 65_534, 65_534);
    for (const mode of [0o1777, 0o777]) {
      chmodSync(path, mode);
      const { exit, error } = await run(['--json', 'mine/a.ts']);
      expect(exit).toBe(12);
      expect(error?.message).toContain(problem);
    }
  });

  it.each([
    ['node_modules/config'],
    ['node_modules/package/deep/config'],
    ['node_modules/@scope/config'],
    ['node_modules'],
    ['package.json'],
  ])('run if the link %s leads out of its packages', async (link) => {
    const outside = folderOf({ 'config.json': secret });
    const files = link === 'node_modules' ? {} : { [`${link}/../x`]: '' };
    const { path, run } = folderWith({ 'a.ts': 'export default () => 1', ...files });
    symlinkSync(link === 'package.json' ? join(outside, 'config.json') : outside, join(path, link));
    const { exit, stdout, error } = await run(['--json', 'a.ts']);
    expect({ exit, stdout }).toEqual({ exit: 10, stdout: '' });
    expect(error?.message).toContain(`${link} is a link that leads to ${outside}`);
    expect(error?.hint).toContain('`vals run --allow-all <val>`');
    expect(await run(['--allow-all', 'a.ts'])).toMatchObject({ exit: 0, stdout: '1\n' });
  });

  it.each([
    ['has a syntax error', 'export default ;'],
    ['is still being transpiled', `namespace a${'.a'.repeat(500)} { export let x = 1 }`],
  ])('run if a link leads out of its packages and the code %s', async (_problem, code) => {
    const { path, runProcess } = folderWith({ 'a.ts': code, 'node_modules/x': '' });
    symlinkSync('/etc', join(path, 'node_modules/link'));
    const { exit, stderr } = await runProcess(['a.ts']);
    expect({ exit, lines: stderr.split('\n').length }).toEqual({ exit: 10, lines: 3 });
  });

  it.each([
    ['../../missing', 'node_modules/link'],
    ['/missing', 'node_modules/link'],
    ['package/inner/../../missing', 'node_modules/link'],
    ['../missing', 'node_modules'],
  ])('run if a broken link to %s could lead out of its packages later', async (target, link) => {
    const { path, run } = folderWith({ 'a.ts': 'export default () => 1' });
    mkdirSync(join(path, link, '..'), { recursive: true });
    symlinkSync(target, join(path, link));
    const { exit, error } = await run(['--json', 'a.ts']);
    expect(exit).toBe(10);
    expect(error?.message).toContain(`${link} is a link that leads to `);
    expect(error?.message).toContain('missing, which the val is not allowed to read.');
  });

  it.skipIf(process.platform !== 'linux')('run if the name of a link is not UTF-8', async () => {
    const { path, run } = folderWith({ 'a.ts': 'export default () => 1', 'node_modules/x': '' });
    symlinkSync('/etc', Buffer.concat([Buffer.from(join(path, 'node_modules/link-')), Buffer.from([0xff])]));
    const { exit, error } = await run(['--json', 'a.ts']);
    expect(exit).toBe(10);
    expect(error?.message).toMatch(/node_modules\/link-.* has a name that is not UTF-8/);
    expect(error?.hint).toContain('`vals run --allow-all <val>`');
  });

  it.skipIf(process.platform === 'win32')('run if the path of a folder is too long', async () => {
    const { path, run } = folderWith({ 'a.ts': 'export default () => 1', 'node_modules/x': '' });
    // `mkdir` refuses a path that is too long, so the script makes and enters one folder at a time.
    const script = 'cd node_modules; for i in $(seq 25); do mkdir "$0"; cd -P "$0"; done';
    await execa('/bin/bash', ['-c', script, 'd'.repeat(200)], { cwd: path });
    const { exit, error } = await run(['--json', 'a.ts']);
    await execa('rm', ['-r', 'node_modules'], { cwd: path });
    expect(exit).toBe(10);
    expect(error?.message).toMatch(/ddd cannot be read \(ENAMETOOLONG\), so vals cannot check its links\.$/);
    expect(error?.hint).toContain('`vals run --allow-all <val>`');
  });

  it.skipIf(isRootOrWindows)('run if a folder cannot be listed', async () => {
    const { path, run } = folderWith({ 'a.ts': 'export default () => 1', 'node_modules/hidden/x': '' });
    chmodSync(join(path, 'node_modules/hidden'), 0o311);
    const { exit, error } = await run(['--json', 'a.ts']);
    chmodSync(join(path, 'node_modules/hidden'), 0o755);
    expect(exit).toBe(10);
    expect(error?.message).toContain('node_modules/hidden cannot be read (EACCES)');
  });
});

it.skipIf(process.platform === 'win32')('a val in a folder with * in its name is not run', async () => {
  const { path, run } = folderWith({
    '*/a.ts': 'import { readFileSync } from "node:fs"; export default () => readFileSync("../.env", "utf8")',
    '.env': 'a-secret',
  });
  const cwd = join(path, '*');
  const { exit, stdout, error } = await run(['--json', 'a.ts'], { cwd });
  expect({ exit, stdout }).toEqual({ exit: 10, stdout: '' });
  expect(error?.message).toBe(`${cwd} has * in its path, so Node cannot limit what the val reads.`);
  expect(await run(['--allow-all', 'a.ts'], { cwd })).toMatchObject({ exit: 0, stdout: 'a-secret' });
});

it('a val is not run if its packages make a file readable on Node 20', async () => {
  const { path, run } = folderWith({
    'a.ts': 'import { readFileSync } from "node:fs"; export default () => readFileSync(".env", "utf8")',
    '.env': 'a-secret',
    'node_modules/x/package.json': '{}',
  });
  for (const name of ['.env1', '.env2', '.env3']) {
    mkdirSync(join(path, name));
    writeFileSync(join(path, name, 'package.json'), '{}');
    symlinkSync(join(path, name), join(path, 'node_modules', name), 'junction');
  }
  const { exit, stdout, error } = await run(['--json', 'a.ts']);
  expect({ exit, stdout }).toEqual({ exit: 10, stdout: '' });
  expect(error?.message).toContain(
    `could let the val read the file ${join(path, '.env')}, because the paths of several packages begin`,
  );
});

describe('a val may', () => {
  it('import files of its project, and packages of a workspace that are linked', async () => {
    const { path, run } = folderWith({
      'package.json': '{}',
      'vals/a.ts': 'import { b } from "../lib/b.ts"; import c from "c"; export default () => [b, c]',
      'lib/b.ts': 'export const b = "b"',
      'packages/c/package.json': '{"name":"c","type":"module","exports":"./c.js"}',
      'packages/c/c.js': 'export default "c"',
      'node_modules/.bin/x': '',
    });
    symlinkSync('../packages/c', join(path, 'node_modules/c'));
    expect(await run(['vals/a.ts'])).toMatchObject({ exit: 0, stdout: '["b","c"]\n', stderr: '' });
  });

  it('run beside broken links that stay inside of its packages', async () => {
    const { path, run } = folderWith({ 'a.ts': 'export default () => 1', 'node_modules/.bin/x': '' });
    symlinkSync('../missing/cli.js', join(path, 'node_modules/.bin/cli'));
    symlinkSync('loop', join(path, 'node_modules/loop'));
    expect(await run(['a.ts'])).toMatchObject({ exit: 0, stdout: '1\n', stderr: '' });
  });

  it('import files beside it in a hidden folder, and hidden files of packages', async () => {
    const { run } = folderWith({
      'package.json': '{}',
      '.drafts/a.ts':
        'import b from "./b.ts"; import c from "../node_modules/.store/c.json"; export default () => [b, c]',
      '.drafts/b.ts': 'export default "b"',
      'node_modules/.store/c.json': '"c"',
    });
    expect(await run(['.drafts/a.ts'])).toMatchObject({ exit: 0, stdout: '["b","c"]\n', stderr: '' });
  });

  it('use paths with .. and file handles', async () => {
    const code = `import fs from "node:fs"; import { open, readFile } from "node:fs/promises"; import { promisify } from "node:util";
export default async () => {
  const path = process.cwd() + "/node_modules/b/../c.txt";
  const handle = await open(Buffer.from(path));
  const all = [fs.readFileSync(path, "utf8"), await readFile(handle, "utf8"), await readFile(new URL("file://" + path), "utf8")];
  await handle.close();
  const descriptor = fs.openSync(path);
  const { bytesRead } = await promisify(fs.read)(descriptor, Buffer.alloc(9), 0, 9, 0);
  return [...all, fs.readFileSync(descriptor, "utf8"), bytesRead];
}`;
    const { run } = folderWith({ 'a.ts': code, 'node_modules/b/x': '', 'node_modules/c.txt': 'c' });
    expect(await run(['a.ts'])).toMatchObject({ exit: 0, stdout: '["c","c","c","c",1]\n', stderr: '' });
  });

  it('replace functions of node:fs, and still import files and return a value', async () => {
    const code = `import fs from "node:fs"; fs.readSync = () => 0; fs.writeSync = () => 0;
const { b } = await import("./b.ts"); export default () => b`;
    const { run } = folderWith({ 'a.ts': code, 'b.ts': 'export const b = "b"' });
    expect(await run(['a.ts'])).toMatchObject({ exit: 0, stdout: 'b', stderr: '' });
  });

  it('clone objects of Node, and send them', async () => {
    const code = `const { body } = new Response("stream"); const { port1, port2 } = new MessageChannel();
const received = new Promise<Blob>((done) => { port2.onmessage = ({ data }) => done(data) });
port1.postMessage(new Blob(["sent"]));
export default async () => [
  await structuredClone(new Blob(["blob"])).text(),
  await new Response(structuredClone(body, { transfer: [body as never] })).text(),
  await (await received).text(),
]`;
    const { stdout, stderr } = await folderWith({ 'a.ts': code }).run(['a.ts']);
    expect({ stdout, stderr }).toEqual({ stdout: '["blob","stream","sent"]\n', stderr: '' });
  });

  it('change its environment variables and its time zone', async () => {
    const code = `process.env.NUMBER = 1 as any; delete process.env.KEPT; process.env.TZ = "Asia/Tokyo";
export default () => [process.env.NUMBER, "KEPT" in process.env, Object.keys(process.env).includes("NUMBER"), new Date(0).getHours()]`;
    const { stdout } = await folderWith({ 'a.ts': code }).run(['a.ts'], { env: { KEPT: 'kept', TZ: 'UTC' } });
    expect(stdout).toBe('["1",false,true,9]\n');
  });

  it('connect to a UNIX socket', async () => {
    const code =
      'import net from "node:net"; import { once } from "node:events";' +
      'export default async () => { const socket = net.connect(process.cwd() + "/s"); const [bytes] = await once(socket, "data"); return String(bytes) }';
    const { path, run } = folderWith({ 'a.ts': code });
    const server = createServer((socket) => socket.end('hello')).listen(join(path, 's'));
    onTestFinished(() => void server.close());
    expect(await run(['a.ts'])).toMatchObject({ exit: 0, stdout: 'hello', stderr: '' });
  });

  it('lower its own priority', async () => {
    const code =
      'import { getPriority, setPriority } from "node:os"; setPriority(process.pid, 19); setPriority(19);' +
      'export default () => getPriority()';
    expect(await folderWith({ 'a.ts': code }).run(['a.ts'])).toMatchObject({ stdout: '19\n', stderr: '' });
  });

  const environmentVariables = {
    ...{ VALS_TOKEN: 'secret-1', VALS_TIMEOUT: '5' },
    ...{
      PGPASSWORD: 'secret-2',
      GITHUB_TOKEN: 'secret-3',
      AWS_ACCESS_KEY_ID: 'secret-4',
      MY_API_KEY: 'secret-5',
    },
    ...{ npm_config__authToken: 'secret-6', DATABASE_URL: 'postgres://me:secret-7@host/db' },
    ...{ SSH_AUTH_SOCK: 'secret-8', Client_Secret: 'secret-9' },
    ...{ PRIVATEKEY: 'secret-10', SIGNINGKEY: 'secret-11', SESSION_COOKIE: 'secret-12', DB_PWD: 'secret-13' },
    ...{ SENTRY_DSN: 'secret-14', GITHUB_PAT: 'secret-15', SLACK_WEBHOOK: 'secret-16', CI_JWT: 'secret-17' },
    ...{ MY_SERVICE: 'https://secret-18@host', STORE: 'me:secret-19@tcp(host)/db' },
    ...{ MY_DATABASE: 'postgres://me:secret-23/4@host/db', OTHER_STORE: 'me:secret-24/5@tcp(host)/db' },
    ...{
      AZURE: 'Server=host;Password=secret-20',
      PEM: '-----BEGIN secret-21',
      ID: 'secret-22-4f2c0c1e6a534bd29a2e',
    },
    ...{
      OLDPWD: '/',
      LIBRARY: '/store/4f2c0c1e6a534bd29a2e1f1f3f0b9c11/lib',
      TOOL_PATH: '/bin:node_modules/.bin:/opt/node@20/bin',
      WORD: 'Rindfleischetikettierung',
    },
    ...{ KEPT: 'kept', GIT_AUTHOR_NAME: 'Ada', API_URL: 'https://api.example', KEYBOARD: 'us' },
  };

  it.each([
    [[], ['API_URL', 'GIT_AUTHOR_NAME', 'KEPT', 'KEYBOARD', 'LIBRARY', 'OLDPWD', 'TOOL_PATH', 'WORD']],
    [['--allow-all'], Object.keys(environmentVariables).filter((name) => !name.startsWith('VALS_'))],
  ])('read, with %j, only these environment variables: %j', async (flags, expected) => {
    const { run } = folderWith({
      'a.ts': 'export default () => [process.env, process.argv, process.execArgv]',
    });
    const { stdout } = await run([...flags, 'a.ts'], { env: environmentVariables });
    const [env] = JSON.parse(stdout);
    const known = Object.keys(env).filter((name) => name in environmentVariables);
    expect(known.sort()).toEqual([...expected].sort());
    expect(stdout).not.toContain('secret-1');
    if (flags.length === 0) expect(stdout).not.toContain('secret-');
  });
});

it('a val that names a withheld variable gets a warning, and the variable with --env', async () => {
  const { run } = folderWith({ 'a.ts': 'export default () => process.env.MY_API_KEY ?? "none"' });
  const env = { MY_API_KEY: 'k', OTHER_TOKEN: 't' };
  expect(await run(['a.ts'], { env })).toMatchObject({
    stdout: 'none',
    stderr:
      'warning: The val does not get the variable MY_API_KEY, because the variable looks like a secret. To pass the variable, run `vals run --env MY_API_KEY <val>`.\n',
  });
  expect(await run(['--env', 'MY_API_KEY', 'a.ts'], { env })).toMatchObject({ stdout: 'k', stderr: '' });
  expect((await run(['--env', 'VALS_TOKEN', 'a.ts'], { env })).exit).toBe(2);
});

it('a val that names NODE_OPTIONS gets a warning with the reason', async () => {
  const { run } = folderWith({ 'a.ts': 'export default () => process.env.NODE_OPTIONS ?? "none"' });
  const env = { NODE_OPTIONS: '--throw-deprecation' };
  const reason = 'options of Node could turn off the sandbox, or keep the val from starting';
  expect(await run(['a.ts'], { env })).toMatchObject({
    stdout: 'none',
    stderr: `warning: The val does not get the variable NODE_OPTIONS, because ${reason}. To pass the variable, run \`vals run --env NODE_OPTIONS <val>\`.\n`,
  });
  expect(await run(['--env', 'NODE_OPTIONS', 'a.ts'], { env })).toMatchObject({
    stdout: '--throw-deprecation',
    stderr: '',
  });
});

async function started(args: readonly string[], code: string) {
  const { vals, text, shows } = startRun([...args, 'a.ts'], { 'a.ts': code });
  await shows('stderr', ' end of ids');
  const ids = /^ids (.*) end/m.exec(text.stderr)?.[1]?.split(' ').map(Number) ?? [];
  return { vals, ids };
}

async function areGone(ids: readonly number[]): Promise<void> {
  for (const id of ids) await expect.poll(() => isThere(id)).toBe(false);
}

describe('the process of a val, and the processes that it started, end with', () => {
  const busy =
    'import { spawn } from "node:child_process"; const { pid } = spawn("sleep", ["99"]);\n' +
    `console.log("ids", process.pid, pid, "end of ids"); ${deaf};`;

  it('the time limit', async () => {
    const { vals, ids } = await started(['--allow-all', '--max-time', '2'], busy);
    const { exitCode, stderr } = await vals;
    expect({ exitCode, said: stderr.includes('took longer than 2 s') }).toEqual({ exitCode: 12, said: true });
    expect(stderr).toContain('`vals run --max-time <seconds> <val>`');
    await areGone(ids);
  });

  it.each([
    ['SIGINT', 130],
    ['SIGTERM', 143],
  ] as const)('%s', async (signal, exit) => {
    const { vals, ids } = await started(['--allow-all'], busy);
    vals.kill(signal);
    const { exitCode, signal: endedBy } = await vals;
    expect(exitStatus(exitCode, endedBy)).toBe(exit);
    await areGone(ids);
  });

  it.each(['SIGHUP', 'SIGQUIT', 'SIGKILL'] as const)('%s of vals', async (signal) => {
    const { vals, ids } = await started(['--allow-all'], busy);
    vals.kill(signal);
    expect((await vals).signal).toBe(signal);
    await areGone(ids);
  });

  it('the end of the val', async () => {
    const code =
      'const { pid } = (await import("node:child_process")).spawn("sleep", ["99"]);\nconsole.log("ids", pid, "end of ids"); export default () => 1;';
    const { vals, ids } = await started(['--allow-all'], code);
    expect((await vals).exitCode).toBe(0);
    await areGone(ids);
  });
});

describe.skipIf(process.platform === 'win32')('a file that the shell opened for vals', () => {
  const reading = `import { readSync } from "node:fs";
export default () => { const bytes = Buffer.alloc(9); return bytes.toString("utf8", 0, readSync(200, bytes)) }`;
  const runWith = async (descriptor: number) => {
    const { path } = folderWith({ 'a.ts': reading, secret: 'password' });
    const script = `exec ${descriptor}< secret; exec "$0" "$@"`;
    const command = [script, process.execPath, program, 'run', '--json', 'a.ts'];
    const env = environment(temporaryFolder());
    return execa('bash', ['-c', ...command], { cwd: path, env, extendEnv: false, reject: false });
  };

  it('cannot be read by the val', async () => {
    const { stdout, stderr } = await runWith(200);
    expect(JSON.parse(stdout)).toMatchObject({ value: '' });
    expect(stderr).toBe('');
  });

  it('is refused under a descriptor above 10,000', async () => {
    const { exitCode, stderr } = await runWith(10_001);
    expect(exitCode).toBe(10);
    expect(stderr).toContain('descriptor 10001');
  });
});
