import { extname } from 'node:path';
import { RunFailedError } from '../errors.ts';
import { runEsbuild } from './esbuild.ts';

export interface Place {
  line: number;
  column: number;
}

export class SyntaxProblem extends Error {
  constructor(
    message: string,
    readonly place: Place | undefined,
  ) {
    super(message);
  }
}

export interface Source {
  name: string;
  code: string;
}

export interface Transpiled {
  code: string;
  map: string;
}

const options = [
  '--sourcemap=inline',
  '--sources-content=false',
  '--target=node20.18',
  '--charset=utf8',
  // Indented code would have the square of the size if its blocks are nested deeply.
  '--minify-whitespace',
  '--tsconfig-raw={"compilerOptions":{"experimentalDecorators":true}}',
  '--log-level=error',
  '--log-limit=1',
  '--color=false',
];

export async function transpile(source: Source, signal: AbortSignal): Promise<Transpiled> {
  if (source.code.length > mostCharacters) throw tooLong(source);
  if (isNestedTooDeeply(source.code)) throw tooDeep(source);
  let farthest: SyntaxProblem | undefined;
  for (const loader of loadersFor(source.name)) {
    const args = [...options, `--loader=${loader}`, `--jsx=${jsxMode(source.code)}`];
    const { error, stdout, stderr } = await runEsbuild(args, source.code, signal);
    signal.throwIfAborted();
    if (error === null) return splitMap(stdout);
    if (error.code === 'ERR_CHILD_PROCESS_STDIO_MAXBUFFER') throw tooLarge(source);
    const problem = error.code === 1 ? findProblem(stderr, source) : undefined;
    if (problem === undefined) throw crashed(source, error);
    if ((problem.place?.line ?? 0) >= (farthest?.place?.line ?? 0)) farthest = problem;
  }
  throw farthest;
}

function splitMap(output: string): Transpiled {
  const mark = '//# sourceMappingURL=data:application/json;base64,';
  const start = output.lastIndexOf(mark);
  return {
    code: output.slice(0, start),
    map: Buffer.from(output.slice(start + mark.length), 'base64').toString(),
  };
}

/** esbuild needs up to several hundred times as much memory as the code. */
const mostCharacters = 1_048_576;

const tooLong = ({ name }: Source): RunFailedError =>
  new RunFailedError(`${name} cannot be transpiled: it has more than 1,048,576 characters.`, {
    hint: 'Split it into smaller files, or move large data from the code to a JSON file.',
  });

/** The stack of esbuild could overflow on deeper code, and esbuild would crash. */
const deepestNesting = 20_000;

/** Brackets in strings and comments count too, but normal code still stays far below the limit. */
function isNestedTooDeeply(code: string): boolean {
  let depth = 0;
  for (let index = 0; index < code.length && depth <= deepestNesting; index++) {
    switch (code[index]) {
      case '(':
      case '[':
      case '{':
        depth += 1;
        break;
      case ')':
      case ']':
      case '}':
        depth = Math.max(0, depth - 1);
    }
  }
  return depth > deepestNesting;
}

const tooDeep = ({ name }: Source): RunFailedError =>
  new RunFailedError(`${name} cannot be transpiled: its code is nested too deeply.`, {
    hint: 'Nest the code less deeply, then run the val again.',
  });

const tooLarge = ({ name }: Source): RunFailedError =>
  new RunFailedError(`${name} cannot be transpiled: the transpiled code is larger than 64 MiB.`, {
    hint: 'Look for an enum with very long strings.',
  });

const crashed = ({ name }: Source, cause: Error): RunFailedError =>
  new RunFailedError(`${name} cannot be transpiled: esbuild, the transpiler, ended unexpectedly.`, {
    hint:
      'Check whether the code is nested deeply or has an enum with very long strings, and how much memory and how many ' +
      'processes you may use (`ulimit -a`).',
    cause,
  });

function loadersFor(name: string): string[] {
  switch (extname(name)) {
    case '.ts':
    case '.mts':
      return ['ts'];
    case '.tsx':
      return ['tsx'];
    case '.js':
    case '.mjs':
    case '.jsx':
      return ['jsx'];
    default:
      return ['tsx', 'ts'];
  }
}

function jsxMode(code: string): string {
  const pragma = (name: string) => new RegExp(`/\\*[*\\s][^/]*@${name}\\s+([^\\s*]+)`).exec(code)?.[1];
  const runtime = pragma('jsxRuntime') ?? (pragma('jsx') === undefined ? 'automatic' : 'classic');
  return runtime === 'classic' ? 'transform' : 'automatic';
}

function findProblem(stderr: string, source: Source): SyntaxProblem | undefined {
  const [, text, line, column] = /\[ERROR\] (.*)(?:\n\n {4}<stdin>:(\d+):(\d+):$)?/m.exec(stderr) ?? [];
  if (text === undefined) return undefined;
  return new SyntaxProblem(
    text,
    line === undefined ? undefined : placeIn(source, Number(line), Number(column)),
  );
}

/** esbuild counts the column in bytes of UTF-8, but users count characters. */
function placeIn({ code }: Source, line: number, column: number): Place {
  const text = code.split(/\r\n|[\n\r\u2028\u2029]/)[line - 1] ?? '';
  return { line, column: Buffer.from(text).subarray(0, column).toString().length + 1 };
}
