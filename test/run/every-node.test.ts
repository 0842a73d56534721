import { once } from 'node:events';
import { mkdirSync, readdirSync, symlinkSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { createInterface } from 'node:readline';
import { execa } from 'execa';
import { describe, expect, it } from 'vitest';
import { nodeCan } from '../../src/run/process/node-releases.ts';
import { folderOf, program, runProcess, temporaryFolder } from '../support/program.ts';
import { failingVals, file } from './failing-vals.ts';
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

describe.each(nodes)('Node $version', ({ version, node }) => {
  it.each(programs)('$name', async (program) => {
    const { files, links = {}, args = ['a.ts'], isHome } = program;
    const cwd = folderOf(files);
    for (const [from, to] of Object.entries(links)) {
      mkdirSync(join(cwd, dirname(from)), { recursive: true });
      symlinkSync(join(cwd, to), join(cwd, from));
    }
    const result = await runProcess(['run', ...args], { cwd, node, ...(isHome && { home: cwd }) });
    const { exit, stdout, stderr } = result;
    expect({ exit, stdout, stderr }).toEqual(expectedOf(program, version));
  });

  it.each(failingVals)('says of a val that $name why it failed, and where', async (val) => {
    const { code, message, hint = '' } = val;
    const cwd = folderOf({ 'b.ts': '', 'c.cts': 'require("./b")', 'd.tsx': '', [file]: code });
    const { exit, stdout, error } = await runProcess(['run', '--json', file], { cwd, node });
    expect({ exit, stdout, hint: '', ...error }).toMatchObject({
      exit: 12,
      stdout: '',
      kind: 'run_failed',
      message: expect.stringContaining(message),
      hint: expect.stringContaining(hint),
    });
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
