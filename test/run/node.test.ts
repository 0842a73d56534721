import { mkdirSync, symlinkSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { folderWith } from './folder.ts';

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

const cases: [name: string, files: string | Record<string, string>, stdout: string][] = [
  [
    'TypeScript that is more than types',
    {
      'a.mts':
        'enum E { A = 3 } namespace N { export const more = 1 }\n' +
        'class C { constructor(private x: number) {} get() { return this.x! } }\n' +
        'const id = <T>(x: T) => x; console.log(id<number>(new C(E.A).get() + N.more) satisfies number)',
    },
    '4\n',
  ],
  [
    'standard decorators',
    'const twice = (method: () => number, context: ClassMethodDecoratorContext) => function (this: C) {\n' +
      '  return method.call(this) * 2 + context.kind.length };\n' +
      'class C { @twice get() { return 5 } } console.log(new C().get())',
    '16\n',
  ],
  [
    'legacy decorators, if tsconfig.json asks for them',
    {
      'a.ts':
        'const twice = (_: object, name: string, d: PropertyDescriptor) => ({ value: () => name + d.value() });\n' +
        'class C { @twice get() { return 5 } } console.log(new C().get())',
      'tsconfig.json': '{ "compilerOptions": { "experimentalDecorators": true } } // comment',
    },
    'get5\n',
  ],
  [
    'class fields as target in tsconfig.json says',
    {
      'a.ts':
        'class Q { constructor(private x: number) {} y = this.x + 1 } console.log(new Q(1).y, "x" in new Q(1))',
      'tsconfig.json': '{"compilerOptions":{"target":"es2020"}}',
    },
    '2 true\n',
  ],
  [
    'imports that verbatimModuleSyntax keeps',
    {
      'a.ts': 'import { unused } from "./b.ts"; console.log("a")',
      'b.ts': 'console.log("b"); export const unused = 1',
      'tsconfig.json': '{"compilerOptions":{"verbatimModuleSyntax":true}}',
    },
    'b\na\n',
  ],
  [
    'JSX',
    { 'a.tsx': 'console.log(JSON.stringify(<b id="1">x</b>)); export {}', ...react },
    '{"type":"b","id":"1","children":"x"}\n',
  ],
  [
    'JSX as its pragma says',
    { 'a.jsx': '/** @jsx h */\nconst h = (...a) => a; console.log(JSON.stringify(<b>x</b>))' },
    '["b",null,"x"]\n',
  ],
  [
    'JSX as tsconfig.json says, although React is installed',
    {
      'a.tsx': 'console.log(<b>x</b>)',
      'tsconfig.json': '{"extends":"./base.json"}',
      'base.json': '{"compilerOptions":{"jsx":"react-jsx","jsxImportSource":"mine"}}',
      'node_modules/mine/package.json': '{"name":"mine","exports":{"./jsx-runtime":"./jsx.js"}}',
      'node_modules/mine/jsx.js': 'exports.jsx = (type) => "mine " + type;',
      ...react,
    },
    'mine b\n',
  ],
  [
    'modules in the order of their imports',
    {
      'a.ts': 'import "./setup.ts"; import "common"; import "./late.ts"; console.log("a")',
      'setup.ts': 'console.log("setup"); Object.assign(globalThis, { word: "set" })',
      'late.ts': 'console.log("late")',
      'node_modules/common/package.json': '{"name":"common","main":"m.js"}',
      'node_modules/common/m.js': 'console.log("package", word)',
    },
    'setup\npackage set\nlate\na\n',
  ],
  [
    'live bindings and circles of imports',
    {
      'a.ts':
        'import { count, more } from "./b.ts"; more(); console.log(count); export function name() { return 1 }',
      'b.ts':
        'import { name } from "./a.ts"; export let count = 0; export const more = () => { count += name() }',
    },
    '1\n',
  ],
  [
    'files, however they are named',
    {
      'a.ts':
        'import { b } from "./lib/b.js"; import { c } from "./lib/c"; import d from "./d.json" with { type: "json" };\n' +
        'import { d as four } from "./d.json"; import type { T } from "./absent.ts"; import dir from "./dir";\n' +
        'import dot from "."; console.log(b, c, d.d, four, dir, dot, (await import("./lib/" + "e.ts")).default)',
      'lib/b.ts': 'import { c } from "./c.ts"; export const b = "b" + c',
      'lib/c.ts': 'export const c: string = "c"',
      'lib/e.ts': 'export default "e" as const',
      'dir/index.ts': 'export default "dir"',
      'index.ts': 'export default "dot"',
      'd.json': '{"d":4}',
    },
    'bc c 4 4 dir dot e\n',
  ],
  [
    'packages, by their names and as npm: writes them',
    {
      'a.ts':
        'import { a } from "@scope/es"; import sub from "npm:@scope/es@^1.2/sub"; import { named } from "npm:common@3";\n' +
        'import { EOL } from "node:os"; console.log(a, sub, named, EOL.length)',
      ...packages,
    },
    'es sub / 1\n',
  ],
  [
    "the package's own imports and exports",
    {
      'a.ts':
        'import { lib } from "#lib"; import { lib as self } from "own/lib"; console.log(lib, lib === self)',
      'src/lib.ts': 'export const lib = "lib"',
      'package.json': '{"name":"own","imports":{"#lib":"./src/lib.js"},"exports":{"./lib":"./src/lib.ts"}}',
    },
    'lib true\n',
  ],
  [
    'the paths of tsconfig.json',
    {
      'a.ts': 'import { b } from "@/b"; import { c } from "lib/c"; console.log(b, c)',
      'src/b.ts': 'export const b = "b"',
      'lib/c.ts': 'export const c = "c"',
      'tsconfig.json': '{"compilerOptions":{"baseUrl":".","paths":{"@/*":["src/*"]}}}',
    },
    'b c\n',
  ],
  [
    'the paths of tsconfig.json before packages and modules of Node, but no declarations',
    {
      'a.ts':
        'import { b } from "common"; import c from "os"; import { named } from "other"; console.log(b, c, named)',
      'b.ts': 'export const b = "b"',
      'c.ts': 'export default "c"',
      'other.d.ts': 'export const named: string',
      'tsconfig.json':
        '{"compilerOptions":{"paths":{"common":["./b.ts"],"os":["./c"],"other":["./other.d.ts"]}}}',
      ...packages,
      'node_modules/other/package.json': '{"name":"other","main":"../common/m.js"}',
    },
    'b c /\n',
  ],
  [
    'JavaScript as it is',
    {
      'a.js':
        'import { b } from "./b.js"; import c from "./c.json"; const f = (a,b)  =>  a; console.log(b, f.toString(), c.d);\n' +
        'await import("./broken.mjs").catch((e) => console.log(e.name, e instanceof SyntaxError))',
      'b.js': 'export const b = (<b>x</b>).type',
      'broken.mjs': 'const x = ;',
      'c.json': '\ufeff{"d":4}',
      ...react,
    },
    'b (a,b)  =>  a 4\nSyntaxError true\n',
  ],
  [
    'CommonJS',
    {
      'a.ts':
        'const { named } = require("common"); const { b } = require("./b.cts"); const c = require("./c.cjs");\n' +
        'console.log(named, b, c, require.main === module, __filename.endsWith("a.ts"), require("./d.json").d)',
      'b.cts': 'import { posix } from "node:path"; export const b: string = posix.sep',
      'c.cjs': 'module.exports = __dirname.length > 0',
      'd.json': '{"d":4}',
      ...packages,
    },
    '/ / true true true 4\n',
  ],
  [
    'CommonJS that requires TypeScript, also ES modules, without its ending',
    {
      'a.ts': 'console.log(require("./b.js").b, require("@/dir"), require("./c").c)',
      'tsconfig.json': '{"compilerOptions":{"paths":{"@/*":["./*"]}}}',
      'b.ts': 'exports.b = "b" as string',
      'dir/index.ts': 'module.exports = "dir" as string',
      'c.cts': 'import { d } from "./d"; export const c: string = d',
      'd.ts': 'export const d: string = "d"',
    },
    'b dir d\n',
  ],
  [
    'a script that declares a name of CommonJS',
    'const module = { a: 1 as number }; console.log(module.a, typeof require)',
    '1 undefined\n',
  ],
  [
    'a file once for each query, and folders with a package.json of their own',
    {
      'a.ts':
        'import { b } from "./b?1"; import { b as other } from "./b?2"; import { c } from "p/c"; console.log(b === other, c)',
      'b.ts': 'export const b: object = {}',
      'node_modules/p/package.json': '{"name":"p"}',
      'node_modules/p/c/package.json': '{"main":"../lib/c.js"}',
      'node_modules/p/lib/c.js': 'exports.c = "c"',
    },
    'false c\n',
  ],
  [
    'nothing of vals in what a val sees of itself',
    'console.log(process.execArgv.length, Object.keys(require.cache).length)',
    '0 1\n',
  ],
  [
    '.js without a package, as its syntax says',
    {
      'a.js': 'import b from "./b.js"; console.log(b, typeof require)',
      'b.js': 'module.exports = typeof require',
    },
    'function undefined\n',
  ],
  [
    'import.meta',
    {
      'a.ts':
        'import { fileURLToPath } from "node:url"; const { url, dirname, filename, resolve } = import.meta;\n' +
        'console.log(filename === fileURLToPath(url), filename.startsWith(dirname), resolve("./b.ts").endsWith("/b.ts"))',
      'b.ts': '',
    },
    'true true true\n',
  ],
  [
    'a script that asks whether it is the main program, once',
    'import { pathToFileURL } from "node:url"; export const main = () => console.log("ran");\n' +
      'if (import.meta.url === pathToFileURL(process.argv[1]).href) main()',
    'ran\n',
  ],
  [
    'a default export that also runs as a script, once',
    'import { pathToFileURL } from "node:url"; const main = () => "ran";\n' +
      'if (import.meta.url === pathToFileURL(process.argv[1]).href) console.log(main()); export default main',
    'ran\n',
  ],
];

describe('vals run runs, as node does,', () => {
  it.each(cases)('%s', async (_name, code, stdout) => {
    const files = typeof code === 'string' ? { 'a.ts': code } : code;
    const result = await folderWith(files).runProcess([Object.keys(files)[0] ?? '']);
    expect(result).toMatchObject({ exit: 0, stdout, stderr: '' });
  });

  it.skipIf(process.platform === 'win32')('linked packages with TypeScript, and what they need', async () => {
    const { path, runProcess } = folderWith({
      'packages/app/a.ts': 'import { b } from "b"; import { c } from "@s/c"; console.log(b, c)',
      'packages/app/package.json': '{"name":"app"}',
      'packages/b/package.json': '{"name":"b","exports":"./src/index.ts"}',
      'packages/b/src/index.ts': 'import d from "d"; export const b: string = "b" + d',
      'packages/b/node_modules/d/package.json': '{"name":"d","main":"d.js"}',
      'packages/b/node_modules/d/d.js': 'module.exports = "d"',
      'store/c/package.json': '{"name":"@s/c","main":"c.js"}',
      'store/c/c.js': 'exports.c = "c"',
      'package.json': '{"workspaces":["packages/*"]}',
    });
    const link = (from: string, to: string) => {
      mkdirSync(join(path, dirname(from)), { recursive: true });
      symlinkSync(join(path, to), join(path, from));
    };
    link('packages/app/node_modules/b', 'packages/b');
    link('packages/app/node_modules/@s/c', 'store/c');
    link('packages/app/node_modules/broken', 'absent');
    expect(await runProcess(['packages/app/a.ts'])).toMatchObject({ exit: 0, stdout: 'bd c\n', stderr: '' });
  });

  it.skipIf(process.platform === 'win32')('a package outside of the project, through a link', async () => {
    const { path, runProcess } = folderWith({
      'project/a.ts': 'import { b } from "./vendor/lib/b.ts"; console.log(b)',
      'project/package.json': '{}',
      'project/vendor/c.txt': '',
      'lib/package.json': '{}',
      'lib/b.ts': 'import d from "d"; export const b: string = "b" + d',
      'lib/node_modules/d/package.json': '{"name":"d","main":"d.js"}',
      'lib/node_modules/d/d.js': 'module.exports = "d"',
    });
    symlinkSync('../../lib', join(path, 'project/vendor/lib'));
    expect(await runProcess(['project/a.ts'])).toMatchObject({ exit: 0, stdout: 'bd\n', stderr: '' });
  });

  it.skipIf(process.platform === 'win32')('a link out of the project, as the file that it is', async () => {
    const { path, runProcess } = folderWith({
      'project/package.json': '{}',
      'other/a.ts': 'import { b } from "./b"; console.log(b, process.argv[1]?.endsWith("/link.ts"))',
      'other/b.ts': 'export const b: string = "b"',
    });
    symlinkSync('../other/a.ts', join(path, 'project/link.ts'));
    expect(await runProcess(['project/link.ts'])).toMatchObject({ exit: 0, stdout: 'b true\n', stderr: '' });
  });

  it('a thread with TypeScript, with --allow-run', async () => {
    const { runProcess } = folderWith({
      'a.ts':
        'import { Worker } from "node:worker_threads"; const worker = new Worker(new URL("./b.ts", import.meta.url));\n' +
        'worker.on("message", (word: string) => console.log(word))',
      'b.ts':
        'import { parentPort } from "node:worker_threads"; import { c } from "./c"; parentPort!.postMessage(c)',
      'c.ts': 'export const c: string = "from a thread"',
    });
    expect(await runProcess(['--allow-run', 'a.ts'])).toMatchObject({ exit: 0, stdout: 'from a thread\n' });
  });
});
