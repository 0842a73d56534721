/** A val that does many things, because a run starts two processes. */
export interface Program {
  name: string;
  files: Record<string, string>;
  /** From a path to the path that the link leads to. */
  links?: Record<string, string>;
  /** `a.ts` if they are absent. */
  args?: readonly string[];
  /** What it prints, as text or as JSON. */
  prints: unknown;
  stderr?: string;
  /** The folder is the home folder. */
  isHome?: true;
  /** The error where Node's `require` does not use the hooks. */
  failsBefore?: RegExp;
}

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

const importingOutside = `const load = (name: string, type?: string) => import(name, type ? { with: { type } } : {})
    .then((m) => m.default, (error) => error.permission);
  export default async () => [(await import("../lib/b.ts").catch((e) => ({ default: e.permission }))).default,
    await load("../lib/c.mjs"), await load("../lib/d.json", "json"), await load("../lib/" + "e.cjs"), await load("../more/f.ts")]`;
const outside = {
  'lib/b.ts': 'export default "b" as string',
  'lib/c.mjs': 'export default "c"',
  'lib/d.json': '"d"',
  'lib/e.cjs': 'module.exports = "e"',
  'more/f.ts': 'export default "f" as string',
};

const everything: Program = {
  name: 'TypeScript, JSX and modules work as in Node',
  args: ['a.tsx'],
  files: {
    'a.tsx': `import "./order/first.ts"; import { count, more } from "./circle.ts"; import "./order/last.ts";
      import { b } from "./lib/b.ts"; import { c } from "./lib/c.ts?again"; import d from "./d.json" with { type: "json" };
      import type { T } from "./absent.ts"; import { EOL } from "node:os"; import { fileURLToPath } from "node:url";
      import { a } from "@scope/es"; import sub from "npm:@scope/es@^1.2/sub"; import { named } from "npm:common@3";
      import { lib } from "#lib"; import { lib as self } from "own/lib"; import { typed } from "./typed.mts"; import "./declares.ts";
      const { url, dirname, filename, resolve } = import.meta;
      const twice = (method: () => number, context: ClassMethodDecoratorContext) => function (this: C) {
        return method.call(this) * 2 + context.kind.length };
      class C { @twice get() { return 5 } }
      export const one = () => 1;
      export default async () => ({
        order: (globalThis as any).order, binding: [count, more(), count], files: [b, c, d.d, (await import("./lib/c.ts")).c],
        computed: [(await import("./lib/" + "b.ts")).b, (await import("./lib/" + "e.js")).default, (await import("./lib/" + "f.tsx")).f], packages: [a, sub, named, EOL.length],
        own: [lib, lib === self], typed, decorated: new C().get(), jsx: <b id="1">x</b>,
        meta: [filename === fileURLToPath(url), filename.startsWith(dirname), resolve("./lib/b.ts").endsWith("/lib/b.ts")],
        main: fileURLToPath(url) === process.argv[1] });`,
    'order/first.ts': 'Object.assign(globalThis, { order: ["first"] })',
    'order/last.ts': '(globalThis as any).order.push("last")',
    'circle.ts':
      'import { one } from "./a.tsx"; export let count = 0; export const more = () => { count += one() };\n' +
      '(globalThis as any).order.push("circle")',
    'lib/b.ts': 'import { c } from "./c.ts"; export const b = "b" + c',
    'lib/c.ts': 'export const c: string = "c"',
    'lib/e.js': 'module.exports = "e"',
    'lib/f.tsx': 'export const f: string = "f"',
    'd.json': '{"d":4}',
    'src/lib.ts': 'export const lib = "lib"',
    'typed.mts':
      'enum E { A = 3 } namespace N { export const more = 1 }\n' +
      'class C { constructor(private x: number) {} get() { return this.x! } }\n' +
      'const id = <T>(x: T) => x; export const typed = id<number>(new C(E.A).get() + N.more) satisfies number',
    'declares.ts': 'const module = { a: typeof require as string }; (globalThis as any).order.push(module.a)',
    'package.json': '{"name":"own","imports":{"#lib":"./src/lib.ts"},"exports":{"./lib":"./src/lib.ts"}}',
    ...packages,
    ...react,
  },
  prints: {
    order: ['first', 'circle', 'last', 'undefined'],
    binding: [0, null, 1],
    files: ['bc', 'c', 4, 'c'],
    computed: ['bc', 'e', 'f'],
    packages: ['es', 'sub', '/', 1],
    own: ['lib', true],
    typed: 4,
    decorated: 16,
    jsx: { type: 'b', id: '1', children: 'x' },
    meta: [true, true, true],
    main: false,
  },
};

export const programs: readonly Program[] = [
  everything,
  {
    name: 'tsconfig.json, with what it extends, decides about JSX and decorators',
    args: ['a.tsx'],
    files: {
      'a.tsx': `const twice = (_: object, name: string, d: PropertyDescriptor) => ({ value: () => name + d.value() });
        class C { @twice get() { return 5 } }
        class Q { constructor(private x: number) {} y = this.x + 1 }
        export default () => [new C().get(), new Q(1).y, <b>x</b>]`,
      'tsconfig.json': '{ "extends": "./base.json" } // comment',
      'base.json': JSON.stringify({
        compilerOptions: {
          ...{ experimentalDecorators: true, useDefineForClassFields: false },
          ...{ jsx: 'react-jsx', jsxImportSource: 'mine' },
        },
      }),
      'node_modules/mine/package.json': '{"name":"mine","exports":{"./jsx-runtime":"./jsx.js"}}',
      'node_modules/mine/jsx.js': 'exports.jsx = (type) => "mine " + type;',
    },
    prints: ['get5', 2, 'mine b'],
  },
  {
    name: 'JavaScript stays as it is, is a module or CommonJS as its syntax says, and may have JSX',
    args: ['a.js'],
    files: {
      'a.js':
        'import { b } from "./b.js"; import c from "./c.js"; import d from "./d.json" with { type: "json" }; import "./pragma.jsx"; const f = (a,b)  =>  a;\n' +
        'export default async () => [b, c, typeof require, d.d, f.toString(), globalThis.pragma,\n' +
        'await import("./broken.mjs").catch((e) => e instanceof SyntaxError)]',
      'b.js': 'export const b = (<b>x</b>).type',
      'broken.mjs': 'const x = ;',
      'c.js': 'module.exports = typeof require',
      'd.json': '\ufeff{"d":4}',
      'pragma.jsx': '/** @jsx h */\nconst h = (...a) => a; globalThis.pragma = <b>x</b>',
      ...react,
    },
    prints: [...['b', 'function', 'undefined', 4, '(a,b)  =>  a'], ['b', null, 'x'], true],
  },
  {
    name: 'a script in CommonJS is the main program, requires TypeScript, and sees nothing of vals',
    files: {
      'a.ts':
        'console.log(require.main === module, __filename === process.argv[1], process.send);\n' +
        'const { named } = require("common"); const { b } = require("./b.cts"); const c = require("./c.cjs");\n' +
        'console.log(named, b, c, require("./d.json").d, require("./e.ts").e, require("./f.cts").f)',
      'b.cts': 'import { posix } from "node:path"; export const b: string = posix.sep',
      'c.cjs': 'module.exports = __dirname.length > 0',
      'd.json': '{"d":4}',
      'e.ts': 'exports.e = "e" as string',
      'f.cts': 'import { g } from "./g.cts"; export const f: string = g',
      'g.cts': 'export const g: string = "g"',
      ...packages,
    },
    prints: 'true true undefined\n/ / true 4 e g\n',
  },
  {
    name: 'a query makes another module, and NODE_ENV is that of the environment',
    args: ['--env', 'NODE_ENV=test', 'a.ts'],
    files: {
      'a.ts': `import first from "./once.ts?a"; import again from "./once.ts?a"; import other from "./once.ts?b#c";
        import plain from "./once.ts"; import linked from "./link.ts?a"; import js from "./js.mjs?a"; import { lib } from "lib";
        const computed = await import("./once.ts?" + "d");
        export default async () => [first.n, again === first, other.n, plain.n, linked.n, js, computed.default.n, lib,
          other.url.endsWith("/once.ts?b#c"), linked.url.endsWith("/once.ts?a"), process.env.NODE_ENV,
          await import("./fails.ts?x").catch((error: Error) => error.stack!.includes("fails.ts:2:"))]`,
      'once.ts':
        'const all = globalThis as any; all.n = (all.n ?? 0) + 1; export default { n: all.n as number, url: import.meta.url }',
      'fails.ts': 'type T = 1;\nthrow new Error("no"); export {}',
      'js.mjs': 'export default import.meta.url.slice(-2)',
      'node_modules/lib/package.json': '{"name":"lib","type":"module","exports":"./a.ts"}',
      'node_modules/lib/a.ts': 'export const lib: string = process.env.NODE_ENV!',
    },
    links: { 'link.ts': 'once.ts' },
    prints: [1, true, 2, 3, 1, '?a', 4, 'test', true, true, 'test', true],
  },
  {
    name: '`createRequire` loads TypeScript',
    args: ['a.mts'],
    files: {
      'a.mts':
        'import { createRequire } from "node:module"; const require = createRequire(import.meta.url); export default () => require("./b.cts").b',
      'b.cts': 'const b: string = "b"; exports.b = b',
    },
    prints: 'b\n',
    failsBefore: /b\.cts:1[\s\S]*\nhint: Before Node 22\.15, `require` loads TypeScript only from CommonJS\./,
  },
  {
    name: 'a module that several import or require is evaluated once, and after what it imports',
    files: {
      'a.ts':
        'import { b } from "./b.ts"; import c from "./c.cjs"; import "./d.ts"; import { pathToFileURL } from "node:url";\n' +
        'const isMain = import.meta.url === pathToFileURL(process.argv[1]).href;\n' +
        'console.log(isMain, b, c.e, c.count(), (globalThis as any).order)',
      'b.ts':
        'import { d } from "./d.ts"; (globalThis as any).order.push("b"); export const b: string = "b" + d',
      'c.cjs': 'const e = require("./e.ts"); require("./f.cjs"); module.exports = e',
      'd.ts': '(globalThis as any).order = ["d"]; export const d: string = "d"',
      'e.ts': 'let n = 0; exports.e = "e" as string; exports.count = (): number => ++n',
      'f.cjs': 'require("./e.ts").count()',
    },
    prints: "true bd e 2 [ 'd', 'b' ]\n",
  },
  {
    name: 'the conditions of a package decide what `import` and `require` get',
    files: {
      'a.ts': 'import { kind } from "both"; import other from "./b.cjs"; export default () => [kind, other]',
      'b.cjs': 'module.exports = require("both").kind + require("./c.cts")',
      'c.cts': 'module.exports = require("both").kind as string',
      'packages/both/package.json':
        '{"name":"both","exports":{"import":"./import.ts","require":"./require.cts"}}',
      'packages/both/import.ts': 'export const kind: string = "import"',
      'packages/both/require.cts': 'exports.kind = "require" as string',
      'package.json': '{"workspaces":["packages/*"]}',
      '.git/HEAD': '',
    },
    links: { 'node_modules/both': 'packages/both' },
    prints: ['import', 'requirerequire'],
  },
  {
    name: 'links in the repository lead to packages with TypeScript, and the val and its modules may be links',
    args: ['project/link.ts'],
    files: {
      'project/vals.json': '{}',
      'project/package.json': '{}',
      'packages/app/a.ts':
        'import { b } from "b"; import { c } from "@s/c"; import { e } from "./vendor/e.ts"; export default () => [b, c, e]',
      'packages/app/package.json': '{"name":"app"}',
      'packages/app/vals.json': '{}',
      'packages/b/package.json': '{"name":"b","exports":"./src/index.ts"}',
      'packages/b/src/index.ts': 'import d from "d"; export const b: string = "b" + d',
      'packages/b/node_modules/d/package.json': '{"name":"d","main":"d.js"}',
      'packages/b/node_modules/d/d.js': 'module.exports = "d"',
      'store/c/package.json': '{"name":"@s/c","main":"c.js"}',
      'store/c/c.js': 'exports.c = "c"',
      'lib/e.ts': 'import { f } from "./f.ts"; export const e: string = "e" + f',
      'lib/f.ts': 'export const f: string = "f"',
      'package.json': '{"workspaces":["packages/*"]}',
      '.git/HEAD': '',
    },
    links: {
      'packages/app/node_modules/b': 'packages/b',
      'packages/app/node_modules/@s/c': 'store/c',
      'packages/app/node_modules/broken': 'absent',
      'packages/app/vendor': 'lib',
      'project/link.ts': 'packages/app/a.ts',
    },
    prints: ['bd', 'c', 'ef'],
  },
  {
    name: 'a file outside of the project is imported if --allow-read allows it',
    args: ['--allow-read', 'lib', '--allow-read', 'more/*', 'project/a.ts'],
    files: { 'project/package.json': '{}', 'project/a.ts': importingOutside, ...outside },
    prints: ['b', 'c', 'd', 'e', 'f'],
  },
  {
    name: 'a file outside of the project is not imported',
    args: ['project/a.ts'],
    files: { 'project/package.json': '{}', 'project/a.ts': importingOutside, ...outside },
    prints: Array(5).fill('FileSystemRead'),
  },
  {
    name: 'in the home folder, a val reads the files of its folder that it imports and its packages, and nothing else',
    isHome: true,
    args: ['work/a.ts'],
    files: {
      'work/a.ts': `import { b } from "./lib/b.ts"; import { named } from "common"; import { readFileSync } from "node:fs";
        const read = () => { try { return readFileSync("private.txt", "utf8") } catch (e: any) { return e.permission } };
        const load = (name: string) => import(name, { with: { type: "json" } }).then((m) => m.default, (e) => e.permission);
        export default async () => [b, named, read(), await load("./c.json"), await load("./.hidden/c.json"), await load("../c.json")]`,
      'work/lib/b.ts': 'export const b: string = "b"',
      'work/c.json': '"c"',
      'work/.hidden/c.json': '"hidden"',
      'c.json': '"above"',
      'private.txt': 'private',
      '.git/HEAD': '',
      ...packages,
    },
    prints: ['b', '/', 'FileSystemRead', 'c', 'FileSystemRead', 'FileSystemRead'],
  },
  {
    name: 'programs that a val starts are programs like any other',
    args: ['--allow-run', 'a.mjs'],
    files: {
      'a.mjs': `import { fork, execFileSync } from 'node:child_process'; import cluster from 'node:cluster';
        if (cluster.isPrimary) { console.log('node', String(execFileSync(process.execPath, ['-p', 'process.permission'])).trim());
          cluster.fork().on('exit', (code) => fork('b.mjs').on('message', (word) => console.log(code, word))) }
        else process.exit(4)`,
      'b.mjs': 'process.send("forked"); process.disconnect()',
    },
    prints: 'node undefined\n4 forked\n',
  },
];
