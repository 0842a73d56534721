import { once } from 'node:events';
import { mkdirSync, readdirSync, symlinkSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { createInterface } from 'node:readline';
import { execa } from 'execa';
import { describe, expect, it } from 'vitest';
import { nodeCan } from '../../src/run/process/permissions.ts';
import { folderOf, program, run, runProcess, temporaryFolder } from '../support/program.ts';
import { type Program, programs } from './programs.ts';
import { own, pages, webOf } from './web.ts';

/** A folder with the unpacked archive of Node for each release: `<folder>/<release>/bin/node`. */
const folder = process.env.VALS_TEST_NODES;
const others = (folder === undefined ? [] : readdirSync(folder)).map((version) => ({
  version,
  node: join(folder ?? '', version, 'bin/node'),
}));
const nodes: { version: string; node?: string }[] = [{ version: process.versions.node }, ...others];

function expectedOf({ prints, stderr = '', failsBefore }: Program, version: string) {
  if (failsBefore && !nodeCan('hooksInThread', version))
    return { exit: 12, stdout: '', stderr: expect.stringMatching(failsBefore) };
  const stdout = typeof prints === 'string' ? prints : `${JSON.stringify(prints)}\n`;
  return { exit: 0, stdout, stderr };
}

/** In a URL, the characters of the name mean something else. */
const file = 'a#%?.ts';

/** Each is alone in its process. `failures.test.ts` has more of them, in one process. */
type FailingVal = [name: string, code: string, message: string, hint?: string | undefined];

const failingVals: readonly FailingVal[] = [
  [
    'throws, after code with types',
    'enum E { A }\nthrow new Error("no")',
    `${file} failed: Error: no (${file}:2:7).`,
  ],
  [
    'leaves a rejection unhandled after its return',
    'export default () => { void (async () => { await 0; throw new Error("late") })() }',
    `${file} failed: Error: late (${file}:1:59).`,
  ],
  ['ends itself', 'export default () => process.exit(3)', `${file} ended with exit code 3.`],
  ['sets an exit code', 'process.exitCode = 3', `${file} ended with exit code 3.`],
  [
    'declares a name twice, after code with types',
    'let a: number = 1;\nlet b: any = "é", a = 3;',
    `${file}:2:19 has a syntax error`,
  ],
  [
    'requires a file without its ending',
    'import "./c.cts"',
    'c.cts imports ./b, and there is no such file (c.cts:1:9).',
    "Write './b.ts'.",
  ],
  [
    'requires a file without its ending by another name',
    'import { createRequire } from "node:module";\nconst load = createRequire(import.meta.url); load("./b")',
    `${file} imports ./b, and there is no such file (${file}:2:51).`,
    "Write './b.ts'.",
  ],
  ...[
    ['jsr:@std/path@^1/posix', "run `npx jsr add @std/path`. Then import '@std/path'."],
    ['jsr:x; echo', 'Import a file, a package, a module of Node or an https: address instead.'],
    ['bun:sqlite', 'Import a file, a package, a module of Node or an https: address instead.'],
    ['node:absent', 'Fix the import, or use a Node that has the module.'],
  ].map(
    ([name, hint]): FailingVal => [
      `imports ${name}`,
      `// first\nimport x from "${name}"; export default x`,
      ` (${file}:2:15).`,
      hint,
    ],
  ),
  ['uses Deno', 'export default () => Deno.cwd()', 'Deno is not defined', 'which has no `Deno`'],
  [
    'expects a Request',
    'export default (request: Request) => new URL(request.url)',
    `Cannot read properties of undefined (reading 'url') (${file}:1:54).`,
    'add --http before the file or val.',
  ],
  [
    'is an object with fetch and expects a Request',
    'export default { fetch: (r: { path: string }) => r.path.length }',
    `${file} answers HTTP requests, and it got none.`,
    'add --http before the file or val.',
  ],
  ['never settles', 'export default () => new Promise(() => {})', `${file} never finished`],
  ['never settles at its top', 'await new Promise(() => {})', `${file} never finished`],
  [
    'breaks off half-way',
    'export default () => new Response(new ReadableStream({ pull() { throw new Error("cut") } }))',
    `${file} failed: Error: cut`,
  ],
  [
    'returns a number that JSON lacks',
    'export default () => 1n',
    'The value that the val returned cannot be written as JSON: ',
  ],
  [
    'reads a file of others',
    'import { readFileSync } from "node:fs"; readFileSync("/etc/two words")',
    '(FileSystemRead, /etc/two words)',
    "add --allow-read '/etc/two words' before the file or val.",
  ],
  [
    'writes a file',
    'import { writeFileSync } from "node:fs"; writeFileSync("x", "")',
    'FileSystemWrite',
    'add --allow-write ',
  ],
  [
    'starts a program',
    'import { execSync } from "node:child_process"; execSync("true")',
    'ChildProcess',
    'add --allow-run before the file or val.',
  ],
  [
    'opens a debugger',
    'import { open } from "node:inspector"; open(0)',
    'Error: Access to this API has been restricted (Inspector, ',
    'add --inspect before the file or val.',
  ],
  [
    'loads a native addon',
    'process.dlopen({ exports: {} }, "absent.node")',
    'Cannot load native addon',
    'add --allow-run before the file or val.',
  ],
];

describe.each(nodes)('Node $version', ({ version, node }) => {
  const runHere = node === undefined ? run : runProcess;

  it.each(programs)('$name', async (program) => {
    const { files, links = {}, args = ['a.ts'], isHome, prints } = program;
    // What a script prints goes to the output of the process.
    const runVals = typeof prints === 'string' ? runProcess : runHere;
    const cwd = folderOf(files);
    for (const [from, to] of Object.entries(links)) {
      mkdirSync(join(cwd, dirname(from)), { recursive: true });
      symlinkSync(join(cwd, to), join(cwd, from));
    }
    const result = await runVals(['run', ...args], { cwd, node, ...(isHome && { home: cwd }) });
    expect(result).toMatchObject(expectedOf(program, version));
  });

  it.each(failingVals)(
    'says of a val that %s why it failed, and where',
    async (_name, code, message, hint) => {
      const cwd = folderOf({ 'b.ts': '', 'c.cts': 'require("./b")', 'd.tsx': '', [file]: code });
      const { error, ...result } = await runHere(['run', '--json', file], { cwd, node });
      expect(result).toMatchObject({ exit: 12, stdout: '' });
      expect(error).toMatchObject({ kind: 'run_failed', message: expect.stringContaining(message) });
      if (hint) expect(error?.hint).toContain(hint);
    },
  );
});

describe.each(nodes)('Node $version', ({ version, node }) => {
  it('keeps the sandbox in a thread that gets `process.execArgv`', async () => {
    const reading = `import { readFileSync } from 'node:fs'; import { parentPort } from 'node:worker_threads';
      try { parentPort!.postMessage(readFileSync('/etc/hosts', 'utf8')) } catch (e: any) { parentPort!.postMessage(e.permission) }`;
    const starting = `import { Worker } from 'node:worker_threads';
      export default () => new Promise((done) => { try {
        new Worker(new URL('./thread.ts', import.meta.url), { execArgv: process.execArgv }).on('message', done).on('error', done);
      } catch (e: any) { done(e.permission) } })`;
    const cwd = folderOf({ 'a.ts': starting, 'thread.ts': reading });
    const { stdout } = await runProcess(['run', 'a.ts'], { cwd, node });
    const refusesThreads = nodeCan('hooksInThread', version);
    expect(stdout).toBe(refusesThreads ? 'WorkerThreads\n' : 'FileSystemRead\n');
  });
});

describe.each(others)('Node $version', ({ version, node }) => {
  it('loads an ES module with `require` in CommonJS of TypeScript, or says which Node can', async () => {
    const cwd = folderOf({
      'a.cts': 'const { b } = require("es"); console.log(b as string)',
      'node_modules/es/package.json': '{"name":"es","type":"module","exports":"./a.js"}',
      'node_modules/es/a.js': 'export { b } from "./b.js"',
      'node_modules/es/b.js': 'export const b = "b"',
    });
    const { stdout, stderr } = await runProcess(['run', 'a.cts'], { cwd, node });
    if (stdout !== 'b\n') {
      expect(stderr).toContain('(a.cts:1:15).');
      expect(stderr).toContain('Use `import`, or a newer Node, such as 22.23.3 or 24.11.1.');
    }
  });

  it('starts a debugger, if need be without the sandbox', async () => {
    const { stderr } = await runProcess(['run', '--inspect=127.0.0.1:0', 'a.ts'], {
      cwd: folderOf({ 'a.ts': 'console.log("ran")' }),
      node,
    });
    expect(stderr).toContain('Debugger listening on ws://127.0.0.1:');
    expect(stderr.includes('runs without the sandbox')).toBe(!nodeCan('inspectorInSandbox', version));
  });

  it('imports modules from the web', async () => {
    const { url } = await webOf(pages());
    const code = `import { greet } from '${url}/greet'; export default (name: string) => greet(name)`;
    const cwd = folderOf({ 'a.ts': code, ...own });
    expect(await runProcess(['run', 'a.ts', 'Ada'], { cwd, node })).toMatchObject({
      stdout: 'hello dear Ada1\n',
      stderr: '',
    });
  });

  it('answers requests after a save with the new code', async () => {
    const cwd = folderOf({
      'a.ts': 'import { b } from "./b.ts"; export default () => new Response(b)',
      'b.ts': 'export const b: string = "one"',
    });
    const vals = execa(node, [program, 'run', '--http', 'a.ts'], {
      cwd,
      env: { HOME: temporaryFolder() },
      reject: false,
    });
    const [line] = await once(createInterface(vals.stdout), 'line');
    const url = `${line}`.trim();
    expect(await (await fetch(url)).text()).toBe('one');
    writeFileSync(join(cwd, 'b.ts'), 'export const b: string = "two"');
    expect(await (await fetch(url)).text()).toBe('two');
    vals.kill('SIGINT');
    expect((await vals).exitCode).toBe(130);
  });
});
