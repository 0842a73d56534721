import { extname } from 'node:path';
import type { Loader, TransformFailure, TransformOptions } from 'esbuild';
import { LocalError, RunFailedError } from '../errors.ts';

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

const options = {
  sourcemap: 'external',
  sourcesContent: false,
  target: 'node20.18',
  charset: 'utf8',
  // Indented code would have the square of the size if its blocks are nested deeply.
  minifyWhitespace: true,
  logLevel: 'silent',
  tsconfigRaw: { compilerOptions: { experimentalDecorators: true } },
} as const satisfies TransformOptions;

export async function transpile(source: Source, signal: AbortSignal): Promise<Transpiled> {
  const { transform, stop } = await import('esbuild').catch(throwUnusable);
  if (source.code.length > mostCharacters) throw tooLong(source);
  if (isNestedTooDeeply(source.code)) throw tooDeep(source);
  signal.throwIfAborted();
  // esbuild cannot cancel a call, and vals would not end before the call ends.
  signal.addEventListener('abort', stop);
  try {
    return await transpileWith(transform, source);
  } catch (error) {
    if (signal.aborted || !hasCrashed(error)) throw error;
    // After `stop`, the next call of `transform` starts a new esbuild process.
    await stop();
    throw crashed(source);
  } finally {
    signal.removeEventListener('abort', stop);
  }
}

async function transpileWith(
  transform: typeof import('esbuild').transform,
  source: Source,
): Promise<Transpiled> {
  let farthest: SyntaxProblem | undefined;
  for (const loader of loadersFor(source.name)) {
    try {
      return await transform(source.code, { ...options, ...jsxOptions(source.code), loader });
    } catch (error) {
      if (hasCrashed(error)) throw error;
      const problem = isTransformFailure(error) ? problemOf(error) : throwUnusable(error);
      if ((problem.place?.line ?? 0) >= (farthest?.place?.line ?? 0)) farthest = problem;
    }
  }
  throw farthest;
}

/** esbuild needs up to several hundred times as much memory as the code. */
const mostCharacters = 1_048_576;

const tooLong = ({ name }: Source): RunFailedError =>
  new RunFailedError(`${name} cannot be transpiled: it has more than 1,048,576 characters.`, {
    hint: 'Split it into smaller files, or move large data from the code to a JSON file.',
  });

/** The stack of esbuild could overflow on deeper code. Then esbuild would crash and print hundreds of lines. */
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

const crashed = ({ name }: Source): RunFailedError =>
  new RunFailedError(`${name} cannot be transpiled: esbuild, the transpiler, ended unexpectedly.`, {
    hint: 'Check whether the code is nested deeply, and how much memory and how many processes you may use (`ulimit -a`).',
  });

const hasCrashed = (error: unknown): boolean =>
  error instanceof Error && /^The service (?:was stopped|is no longer running)/.test(error.message);

function throwUnusable(cause: unknown): never {
  throw new LocalError('The transpiler, esbuild, cannot be started.', {
    hint: 'Install vals again without --omit=optional: esbuild has an optional package for each system.',
    cause,
  });
}

function loadersFor(name: string): Loader[] {
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

function jsxOptions(code: string): TransformOptions {
  const pragma = (name: string) => new RegExp(`/\\*[*\\s][^/]*@${name}\\s+([^\\s*]+)`).exec(code)?.[1];
  const runtime = pragma('jsxRuntime') ?? (pragma('jsx') === undefined ? 'automatic' : 'classic');
  return { jsx: runtime === 'classic' ? 'transform' : 'automatic' };
}

function problemOf({ message, errors: [first] }: TransformFailure): SyntaxProblem {
  return new SyntaxProblem(first?.text ?? message, first?.location ? placeOf(first.location) : undefined);
}

/** esbuild counts the column in bytes of UTF-8, but users count characters. */
function placeOf({ line, column, lineText }: { line: number; column: number; lineText: string }): Place {
  return { line, column: Buffer.from(lineText).subarray(0, column).toString().length + 1 };
}

const isTransformFailure = (error: unknown): error is TransformFailure =>
  error instanceof Error && 'errors' in error && Array.isArray(error.errors);
