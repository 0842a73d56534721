import { dirname } from 'node:path';
import type { TsconfigRaw } from 'esbuild';
import { getTsconfig, type TsConfigResult } from 'get-tsconfig';
import { LocalError } from '../../core/errors.ts';

export type CompilerOptions = NonNullable<Exclude<TsconfigRaw, string>['compilerOptions']>;

export interface Tsconfigs {
  compilerOptions(file: string): CompilerOptions;
}

/** Only JSX and decorators are read: what `paths` resolves could run on no service. */
export function createTsconfigs(): Tsconfigs {
  const byFolder = new Map<string, CompilerOptions>();
  const cache = new Map();
  return {
    compilerOptions(file) {
      const folder = dirname(file);
      const options = byFolder.get(folder) ?? relevantIn(read(folder, cache));
      byFolder.set(folder, options);
      return options;
    },
  };
}

function relevantIn(tsconfig: TsConfigResult | null): CompilerOptions {
  const { jsx, ...options } = tsconfig?.config.compilerOptions ?? {};
  const relevant = Object.entries({
    // Any other value, such as `preserve`, is meant for another tool.
    jsx: jsx === 'react' ? jsx : undefined,
    jsxFactory: options.jsxFactory,
    jsxFragmentFactory: options.jsxFragmentFactory,
    jsxImportSource: options.jsxImportSource,
    experimentalDecorators: options.experimentalDecorators,
    useDefineForClassFields: options.useDefineForClassFields,
  }).filter(([, value]) => value !== undefined);
  return Object.fromEntries(relevant);
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
