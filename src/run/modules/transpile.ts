import { basename } from 'node:path';
import { pathToFileURL } from 'node:url';
import type { BuildFailure, BuildOptions, Loader, Location, Metafile } from 'esbuild';
import { LocalError, RunFailedError } from '../../core/errors.ts';
import { columnOf, isBuildFailure } from '../../core/files/check-syntax.ts';
import { isObject } from '../../core/lib/json.ts';
import { isRemote } from '../protocol.ts';
import type { Kept } from './kept.ts';
import { isOnLoopback } from './remote.ts';
import type { CompilerOptions } from './tsconfig.ts';

export interface Source {
  /** As messages show it. */
  name: string;
  code: string;
  /** The path of a file, or the URL of a module on the web. */
  place: string;
  /** The language, as the ending of a file name. */
  ending: string;
}

export interface Transpiled {
  code: string;
  /** Undefined if the code has neither `import` and `export` nor anything that only CommonJS has. */
  syntax: 'esm' | 'cjs' | undefined;
  hasDefaultExport: boolean;
  /** The code is JavaScript already, and stays as it is. */
  isPlain: boolean;
  /** What it surely needs: the specifiers of its import statements. */
  imports: string[];
}

async function transpile(source: Source, compilerOptions: CompilerOptions): Promise<Transpiled> {
  const { build } = await import('esbuild').catch(throwUnusable);
  let farthest: RunFailedError | undefined;
  let farthestLine = -1;
  for (const loader of loadersFor(source.ending)) {
    try {
      const built = await build({
        ...buildOptions(source, compilerOptions),
        stdin: { contents: source.code, loader, sourcefile: nameInMap(source.place) },
      });
      const isPlain = loader === 'js';
      const result = resultOf(built.outputFiles[0]?.text ?? '', built.metafile, source);
      return { ...result, isPlain, ...(isPlain && { code: source.code }) };
    } catch (error) {
      if (!isBuildFailure(error)) return throwUnusable(error);
      const line = error.errors[0]?.location?.line ?? 0;
      if (line >= farthestLine) farthest = syntaxError(source, error);
      farthestLine = Math.max(line, farthestLine);
    }
  }
  throw farthest;
}

/** A source map names its source as a URL, in which `#`, `%` and `?` mean something else. */
const nameInMap = (place: string): string =>
  basename(isRemote(place) ? place : pathToFileURL(place).pathname);

const buildOptions = ({ code, ending }: Source, options: CompilerOptions) =>
  ({
    write: false,
    metafile: true,
    sourcemap: 'inline',
    // Otherwise esbuild replaces `process.env.NODE_ENV` with "development".
    platform: 'node',
    target: 'node20.18',
    charset: 'utf8',
    logLevel: 'silent',
    // Otherwise esbuild drops `with { type: 'json' }`.
    supported: { 'import-attributes': true, 'import-source': true },
    ...(ending.startsWith('.c') && { format: 'cjs' }),
    jsx: isClassicJsx(code, options) ? 'transform' : 'automatic',
    tsconfigRaw: { compilerOptions: options },
  }) satisfies BuildOptions;

function isClassicJsx(code: string, { jsx }: CompilerOptions): boolean {
  const pragma = (name: string) => new RegExp(`/\\*[*\\s][^/]*@${name}\\s+([^\\s*]+)`).exec(code)?.[1];
  const runtime = pragma('jsxRuntime');
  if (runtime !== undefined) return runtime === 'classic';
  if (pragma('jsx') !== undefined) return true;
  return pragma('jsxImportSource') === undefined && jsx === 'react';
}

function resultOf(code: string, { inputs, outputs }: Metafile, source: Source): Omit<Transpiled, 'isPlain'> {
  const [input] = Object.values(inputs);
  const [output] = Object.values(outputs);
  // esbuild may add an import itself, for JSX.
  const hasImports = output?.imports.some(({ kind }) => kind === 'import-statement');
  const syntax = input?.format ?? (hasImports || declaresCommonJsName.test(code) ? 'esm' : undefined);
  return {
    code,
    syntax,
    imports: (output?.imports ?? []).flatMap(({ kind, path }) => (kind === 'import-statement' ? [path] : [])),
    hasDefaultExport:
      syntax === 'esm' ? output?.exports.includes('default') === true : exportsFromCommonJs(source.code),
  };
}

/** CommonJS has variables with these names already, so Node takes such code for an ES module. */
const declaresCommonJsName = /^(?:const|let|class) (?:module|exports|require|__filename|__dirname)\b/m;

/** A file that asks whether it is the main program is a script. */
const exportsFromCommonJs = (code: string): boolean =>
  /\bmodule\.exports\s*=|\bexports\.default\s*=|^export\s*=/m.test(code) && !/\brequire\.main\b/.test(code);

function loadersFor(ending: string): Loader[] {
  switch (ending) {
    case '.ts':
    case '.mts':
    case '.cts':
      return ['ts'];
    case '.js':
    case '.mjs':
    case '.cjs':
      return ['js', 'jsx'];
    case '.jsx':
      return ['jsx'];
    // Code of the service has this ending too, and may contain `<T>value`, which is not valid beside JSX.
    default:
      return ['tsx', 'ts'];
  }
}

function syntaxError({ name }: Source, { message, errors: [first] }: BuildFailure): RunFailedError {
  const problem = (first?.text ?? message).replace(/[.:]$/, '');
  return new RunFailedError(`${placeOf(name, first?.location)} has a syntax error: ${problem}.`, {
    hint: 'Fix the code.',
  });
}

const placeOf = (name: string, location: Location | null | undefined): string =>
  location ? `${name}:${location.line}:${columnOf(location)}` : name;

function throwUnusable(cause: unknown): never {
  throw new LocalError('The transpiler, esbuild, cannot be started.', {
    hint: 'Install vals again without --omit=optional: esbuild has an optional package for each system.',
    cause,
  });
}

export type Compile = (source: Source, options: CompilerOptions) => Promise<Transpiled>;

/**
 * Compiles a module, or takes what an earlier run compiled from the same code. A second run of 200 modules takes half the
 * time, and one of a single file starts no esbuild.
 */
export function createCompiler(kept: Kept): Compile {
  return async (source, options) => {
    const { place, code, ending } = source;
    if (isRemote(place) && isOnLoopback(place)) return transpile(source, options);
    const from = JSON.stringify([VERSION, ending, buildOptions(source, options), code]);
    const found = kept.read(place);
    if (found?.from === from && isTranspiled(found.compiled)) return found.compiled;
    const compiled = await transpile(source, options);
    kept.write(place, { from, compiled });
    return compiled;
  };
}

/** An earlier form counts as missing. */
const isTranspiled = (value: unknown): value is Transpiled =>
  isObject(value) &&
  typeof value.code === 'string' &&
  Array.isArray(value.imports) &&
  value.imports.every((each) => typeof each === 'string');
