import { mkdirSync, symlinkSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { expect, it } from 'vitest';
import { folderWith } from './folder.ts';

// Each test runs one val that does many things, because a run starts a process.

const react = {
  'node_modules/react/package.json': '{"name":"react","exports":{"./jsx-runtime":"./jsx.js"}}',
  'node_modules/react/jsx.js': 'exports.jsx = (type, props) => ({ type, ...props });',
};
const packages = {
  'node_modules/@scope/es/package.json':
    '{"name":"@scope/es","type":"module","exports":{".":"./a.js","./sub":"./b.js"}}',
  'node_modules/@scope/es/a.js': 'await 0; export const a = "es";',
  'node_modules/@scope/es/b.js': 'export default "sub";',
  'node_modules/common/package.json': '{"name":"common","main":"m.js"}',
  'node_modules/common/m.js': 'exports.named = require("node:path").posix.sep;',
};

async function returned(files: Record<string, string>): Promise<unknown> {
  const { exit, stdout, stderr } = await folderWith(files).run([Object.keys(files)[0] ?? '']);
  expect({ exit, stderr }).toEqual({ exit: 0, stderr: '' });
  return JSON.parse(stdout);
}

it('TypeScript, JSX and modules work as in Node, with the habits of TypeScript', async () => {
  const files = {
    'a.tsx': `import "./order/first.ts"; import { count, more } from "./circle.ts"; import "./order/last.ts";
      import { b } from "./lib/b.js"; import { c } from "./lib/c"; import dir from "./dir"; import dot from ".";
      import d from "./d.json" with { type: "json" }; import { d as four } from "./d.json"; import type { T } from "./absent.ts";
      import { a } from "@scope/es"; import sub from "npm:@scope/es@^1.2/sub"; import { named } from "npm:common@3"; import { EOL } from "node:os";
      import { lib } from "#lib"; import { lib as self } from "own/lib"; import { typed } from "./typed.mts"; import "./declares.ts";
      import { fileURLToPath } from "node:url"; const { url, dirname, filename, resolve } = import.meta;
      const twice = (method: () => number, context: ClassMethodDecoratorContext) => function (this: C) {
        return method.call(this) * 2 + context.kind.length };
      class C { @twice get() { return 5 } }
      export const one = () => 1;
      export default async () => ({
        order: (globalThis as any).order, binding: [count, more(), count], files: [b, c, dir, dot, d.d, four],
        computed: (await import("./lib/" + "e.ts")).default, packages: [a, sub, named, EOL.length], own: [lib, lib === self],
        typed, decorated: new C().get(), jsx: <b id="1">x</b>,
        meta: [filename === fileURLToPath(url), filename.startsWith(dirname), resolve("./dir/index.ts").endsWith("/dir/index.ts")],
        main: fileURLToPath(url) === process.argv[1] });`,
    'order/first.ts': 'Object.assign(globalThis, { order: ["first"] })',
    'order/last.ts': '(globalThis as any).order.push("last")',
    'circle.ts':
      'import { one } from "./a.tsx"; export let count = 0; export const more = () => { count += one() };\n' +
      '(globalThis as any).order.push("circle")',
    'lib/b.ts': 'import { c } from "./c.ts"; export const b = "b" + c',
    'lib/c.ts': 'export const c: string = "c"',
    'lib/e.ts': 'export default "e" as const',
    'dir/index.ts': 'export default "dir"',
    'index.ts': 'export default "dot"',
    'd.json': '{"d":4}',
    'src/lib.ts': 'export const lib = "lib"',
    'typed.mts':
      'enum E { A = 3 } namespace N { export const more = 1 }\n' +
      'class C { constructor(private x: number) {} get() { return this.x! } }\n' +
      'const id = <T>(x: T) => x; export const typed = id<number>(new C(E.A).get() + N.more) satisfies number',
    'declares.ts': 'const module = { a: typeof require as string }; (globalThis as any).order.push(module.a)',
    'package.json': '{"name":"own","imports":{"#lib":"./src/lib.js"},"exports":{"./lib":"./src/lib.ts"}}',
    ...packages,
    ...react,
  };
  expect(await returned(files)).toEqual({
    order: ['first', 'circle', 'last', 'undefined'],
    binding: [0, null, 1],
    files: ['bc', 'c', 'dir', 'dot', 4, 4],
    computed: 'e',
    packages: ['es', 'sub', '/', 1],
    own: ['lib', true],
    typed: 4,
    decorated: 16,
    jsx: { type: 'b', id: '1', children: 'x' },
    meta: [true, true, true],
    main: false,
  });
});

it('tsconfig.json decides about syntax, JSX and paths, which come before packages and modules of Node', async () => {
  const compilerOptions = {
    ...{ experimentalDecorators: true, target: 'es2020', verbatimModuleSyntax: true },
    ...{ jsx: 'react-jsx', jsxImportSource: 'mine', baseUrl: '.' },
    paths: { '@/*': ['src/*'], common: ['./b.ts'], os: ['./c'], other: ['./other.d.ts'] },
  };
  const files = {
    'a.tsx': `import { unused } from "./side.ts"; import { b } from "common"; import c from "os"; import { named } from "other";
      import { d } from "@/d"; import { e } from "lib/e";
      const twice = (_: object, name: string, d: PropertyDescriptor) => ({ value: () => name + d.value() });
      class C { @twice get() { return 5 } }
      class Q { constructor(private x: number) {} y = this.x + 1 }
      export default () => [(globalThis as any).side, b, c, named, d, e, new C().get(), new Q(1).y, <b>x</b>]`,
    'side.ts': '(globalThis as any).side = "kept"; export const unused = 1',
    'b.ts': 'export const b = "b"',
    'c.ts': 'export default "c"',
    'other.d.ts': 'export const named: string',
    'src/d.ts': 'export const d = "d"',
    'lib/e.ts': 'export const e = "e"',
    'tsconfig.json': '{ "extends": "./base.json" } // comment',
    'base.json': JSON.stringify({ compilerOptions }),
    ...packages,
    'node_modules/other/package.json': '{"name":"other","main":"../common/m.js"}',
    'node_modules/mine/package.json': '{"name":"mine","exports":{"./jsx-runtime":"./jsx.js"}}',
    'node_modules/mine/jsx.js': 'exports.jsx = (type) => "mine " + type;',
    ...react,
  };
  expect(await returned(files)).toEqual(['kept', 'b', 'c', '/', 'd', 'e', 'get5', 2, 'mine b']);
});

it('JavaScript stays as it is, is a module or CommonJS as its syntax says, and may have JSX', async () => {
  const files = {
    'a.js':
      'import { b } from "./b.js"; import c from "./c.js"; import d from "./d.json"; import "./pragma.jsx"; const f = (a,b)  =>  a;\n' +
      'export default async () => [b, c, typeof require, d.d, f.toString(), globalThis.pragma,\n' +
      'await import("./broken.mjs").catch((e) => e instanceof SyntaxError)]',
    'b.js': 'export const b = (<b>x</b>).type',
    'broken.mjs': 'const x = ;',
    'c.js': 'module.exports = typeof require',
    'd.json': '\ufeff{"d":4}',
    'pragma.jsx': '/** @jsx h */\nconst h = (...a) => a; globalThis.pragma = <b>x</b>',
    ...react,
  };
  expect(await returned(files)).toEqual([
    ...['b', 'function', 'undefined', 4, '(a,b)  =>  a'],
    ['b', null, 'x'],
    true,
  ]);
});

it('a script in CommonJS is the main program, requires TypeScript, and sees nothing of vals', async () => {
  const { runProcess } = folderWith({
    'a.ts':
      'console.log(process.execArgv.length, Object.keys(require.cache).length, require.main === module, __filename === process.argv[1]);\n' +
      'const { named } = require("common"); const { b } = require("./b.cts"); const c = require("./c.cjs");\n' +
      'console.log(named, b, c, require("./d.json").d, require("./e.js").e, require("@/dir"), require("./f").f)',
    'b.cts': 'import { posix } from "node:path"; export const b: string = posix.sep',
    'c.cjs': 'module.exports = __dirname.length > 0',
    'd.json': '{"d":4}',
    'e.ts': 'exports.e = "e" as string',
    'dir/index.ts': 'module.exports = "dir" as string',
    'f.cts': 'import { g } from "./g"; export const f: string = g',
    'g.ts': 'export const g: string = "g"',
    'tsconfig.json': '{"compilerOptions":{"paths":{"@/*":["./*"]}}}',
    ...packages,
  });
  const stdout = '0 1 true true\n/ / true 4 e dir g\n';
  expect(await runProcess(['a.ts'])).toMatchObject({ exit: 0, stdout, stderr: '' });
});

it('a script that asks whether it is the main program runs once', async () => {
  const { runProcess } = folderWith({
    'a.ts':
      'import { pathToFileURL } from "node:url"; export const main = () => console.log("ran");\n' +
      'if (import.meta.url === pathToFileURL(process.argv[1]).href) main()',
  });
  expect(await runProcess(['a.ts'])).toMatchObject({ exit: 0, stdout: 'ran\n', stderr: '' });
});

it.skipIf(process.platform === 'win32')(
  'links lead to packages with TypeScript, out of the project too, and the val itself may be a link',
  async () => {
    const { path, run } = folderWith({
      'project/package.json': '{}',
      'packages/app/a.ts':
        'import { b } from "b"; import { c } from "@s/c"; import { e } from "./vendor/lib/e"; export default () => [b, c, e]',
      'packages/app/package.json': '{"name":"app"}',
      'packages/b/package.json': '{"name":"b","exports":"./src/index.ts"}',
      'packages/b/src/index.ts': 'import d from "d"; export const b: string = "b" + d',
      'packages/b/node_modules/d/package.json': '{"name":"d","main":"d.js"}',
      'packages/b/node_modules/d/d.js': 'module.exports = "d"',
      'store/c/package.json': '{"name":"@s/c","main":"c.js"}',
      'store/c/c.js': 'exports.c = "c"',
      'lib/package.json': '{}',
      'lib/e.ts': 'import d from "d"; export const e: string = "e" + d',
      'lib/node_modules/d/package.json': '{"name":"d","main":"d.js"}',
      'lib/node_modules/d/d.js': 'module.exports = "d"',
      'package.json': '{"workspaces":["packages/*"]}',
    });
    const link = (from: string, to: string) => {
      mkdirSync(join(path, dirname(from)), { recursive: true });
      symlinkSync(join(path, to), join(path, from));
    };
    link('packages/app/node_modules/b', 'packages/b');
    link('packages/app/node_modules/@s/c', 'store/c');
    link('packages/app/node_modules/broken', 'absent');
    link('packages/app/vendor/lib', 'lib');
    link('project/link.ts', 'packages/app/a.ts');
    const { stdout, stderr } = await run(['project/link.ts']);
    expect({ stdout, stderr }).toEqual({ stdout: '["bd","c","ed"]\n', stderr: '' });
  },
);
