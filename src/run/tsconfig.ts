import { dirname } from 'node:path';
import type { TsconfigRaw } from 'esbuild';
import { createPathsMatcher, getTsconfig, type TsConfigResult } from 'get-tsconfig';
import { LocalError } from '../core/errors.ts';

export type CompilerOptions = NonNullable<Exclude<TsconfigRaw, string>['compilerOptions']>;

export interface Tsconfigs {
  compilerOptions(file: string): CompilerOptions;
  hasPaths(file: string): boolean;
  /** A pattern of `paths` fits the import. */
  isMapped(specifier: string, file: string): boolean;
  /** The paths, without a check whether they exist, that `paths` and `baseUrl` give for an import. */
  pathsFor(specifier: string, file: string): string[];
}

export function createTsconfigs(): Tsconfigs {
  const byFolder = new Map<string, TsConfigResult | null>();
  const cache = new Map();

  function nearest(file: string): TsConfigResult | null {
    const folder = dirname(file);
    const known = byFolder.get(folder);
    if (known !== undefined) return known;
    const found = read(folder, cache);
    byFolder.set(folder, found);
    return found;
  }

  return {
    compilerOptions(file) {
      const { jsx, ...options } = nearest(file)?.config.compilerOptions ?? {};
      const relevant = Object.entries({
        // Any other value, such as `preserve`, is meant for another tool.
        jsx: jsx === 'react' ? jsx : undefined,
        jsxFactory: options.jsxFactory,
        jsxFragmentFactory: options.jsxFragmentFactory,
        jsxImportSource: options.jsxImportSource,
        experimentalDecorators: options.experimentalDecorators,
        // esbuild derives only the meaning of class fields from it, as tsc does.
        target: options.target,
        useDefineForClassFields: options.useDefineForClassFields,
        verbatimModuleSyntax: options.verbatimModuleSyntax,
      }).filter(([, value]) => value !== undefined);
      return Object.fromEntries(relevant);
    },
    hasPaths: (file) => patternsOf(nearest(file)).length > 0,
    isMapped: (specifier, file) => patternsOf(nearest(file)).some((pattern) => fits(pattern, specifier)),
    pathsFor(specifier, file) {
      const tsconfig = nearest(file);
      return (tsconfig && createPathsMatcher(tsconfig)?.(specifier)) ?? [];
    },
  };
}

const patternsOf = (tsconfig: TsConfigResult | null): string[] =>
  Object.keys(tsconfig?.config.compilerOptions?.paths ?? {});

function fits(pattern: string, specifier: string): boolean {
  const [start = '', end] = pattern.split('*');
  if (end === undefined) return pattern === specifier;
  return (
    specifier.length >= start.length + end.length && specifier.startsWith(start) && specifier.endsWith(end)
  );
}

function read(folder: string, cache: Map<string, unknown>): TsConfigResult | null {
  try {
    return getTsconfig(folder, 'tsconfig.json', cache);
  } catch (error) {
    throw new LocalError(`The tsconfig.json for ${folder} cannot be read: ${(error as Error).message}`, {
      hint: 'Fix the file.',
      cause: error,
    });
  }
}
