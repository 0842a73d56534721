/** A val that fails, alone in its process. `failures.test.ts` has more of them, in one process. */
export interface FailingVal {
  name: string;
  code: string;
  message: string;
  hint?: string;
}

/** In a URL, the characters of the name mean something else. */
export const file = 'a#%?.ts';

export const failingVals: readonly FailingVal[] = [
  {
    name: 'throws, after code with types',
    code: 'enum E { A }\nthrow new Error("no")',
    message: `${file} failed: Error: no (${file}:2:7).`,
  },
  {
    name: 'leaves a rejection unhandled after its return',
    code: 'export default () => { void (async () => { await 0; throw new Error("late") })() }',
    message: `${file} failed: Error: late (${file}:1:59).`,
  },
  {
    name: 'ends itself',
    code: 'export default () => process.exit(3)',
    message: `${file} ended with exit code 3.`,
  },
  { name: 'sets an exit code', code: 'process.exitCode = 3', message: `${file} ended with exit code 3.` },
  {
    name: 'declares a name twice, after code with types',
    code: 'let a: number = 1;\nlet b: any = "é", a = 3;',
    message: `${file}:2:19 has a syntax error`,
  },
  {
    name: 'imports no file',
    code: 'import "./absent.ts"',
    message: `${file} imports ./absent.ts, and there is no such file (${file}:1:8).`,
  },
  {
    name: 'requires a file without its ending',
    code: 'import "./c.cts"',
    message: 'c.cts imports ./b, and there is no such file (c.cts:1:9).',
    hint: "Write './b.ts'.",
  },
  {
    name: 'imports TypeScript by a computed path',
    code: 'await import(["./d", "tsx"].join("."))',
    message: 'Unknown file extension ".tsx"',
    hint: 'Write the whole path or address in the `import`.',
  },
  {
    name: 'uses Deno',
    code: 'export default () => Deno.cwd()',
    message: 'Deno is not defined',
    hint: 'which has no `Deno`',
  },
  {
    name: 'expects a Request',
    code: 'export default (request: Request) => new URL(request.url)',
    message: `Cannot read properties of undefined (reading 'url') (${file}:1:54).`,
    hint: 'add --http before the file or val.',
  },
  {
    name: 'is an object with fetch and expects a Request',
    code: 'export default { fetch: (r: { path: string }) => r.path.length }',
    message: `${file} answers HTTP requests, and it got none.`,
    hint: 'add --http before the file or val.',
  },
  {
    name: 'never settles',
    code: 'export default () => new Promise(() => {})',
    message: `${file} never finished`,
  },
  {
    name: 'never settles at its top',
    code: 'await new Promise(() => {})',
    message: `${file} never finished`,
  },
  {
    name: 'breaks off half-way',
    code: 'export default () => new Response(new ReadableStream({ pull() { throw new Error("cut") } }))',
    message: `${file} failed: Error: cut`,
  },
  {
    name: 'returns a number that JSON lacks',
    code: 'export default () => 1n',
    message: 'The value that the val returned cannot be written as JSON: ',
  },
  {
    name: 'reads a file of others',
    code: 'import { readFileSync } from "node:fs"; readFileSync("/etc/hosts")',
    message: '(FileSystemRead, /etc/hosts)',
    hint: 'add --allow-read /etc/hosts before the file or val.',
  },
  {
    name: 'writes a file',
    code: 'import { writeFileSync } from "node:fs"; writeFileSync("x", "")',
    message: 'FileSystemWrite',
    hint: 'add --allow-write ',
  },
  {
    name: 'starts a program',
    code: 'import { execSync } from "node:child_process"; execSync("true")',
    message: 'ChildProcess',
    hint: 'add --allow-run before the file or val.',
  },
  {
    name: 'opens a debugger',
    code: 'import { open } from "node:inspector"; open(0)',
    message: 'Error: Access to this API has been restricted (Inspector, ',
    hint: 'add --inspect before the file or val.',
  },
  {
    name: 'loads a native addon',
    code: 'process.dlopen({ exports: {} }, "absent.node")',
    message: 'Cannot load native addon',
    hint: 'add --allow-run before the file or val.',
  },
];
