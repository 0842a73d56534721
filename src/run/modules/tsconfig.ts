import { dirname } from 'node:path';
import type { TsconfigRaw } from 'esbuild';
import { getTsconfig } from 'get-tsconfig';
import { LocalError } from '../../core/errors.ts';

export type CompilerOptions = NonNullable<Exclude<TsconfigRaw, string>['compilerOptions']>;

/** Only JSX and decorators are read: what `paths` resolves could run on no service. */
export function createTsconfigs(): (file: string) => CompilerOptions {
  const byFolder = new Map<string, CompilerOptions>();
  const cache = new Map();
  return (file) => {
    const folder = dirname(file);
    const options = byFolder.get(folder) ?? read(folder, cache);
    byFolder.set(folder, options);
    return options;
  };
}

function read(folder: string, cache: Map<string, unknown>): CompilerOptions {
  try {
    const { jsx, ...options } = getTsconfig(folder, 'tsconfig.json', cache)?.config.compilerOptions ?? {};
    return {
      // Any other value, such as `preserve`, is meant for another tool.
      jsx: jsx === 'react' ? jsx : undefined,
      jsxFactory: options.jsxFactory,
      jsxFragmentFactory: options.jsxFragmentFactory,
      jsxImportSource: options.jsxImportSource,
      experimentalDecorators: options.experimentalDecorators,
      useDefineForClassFields: options.useDefineForClassFields,
    };
  } catch (error) {
    throw new LocalError(`The tsconfig.json for ${folder} cannot be read: ${(error as Error).message}`, {
      hint: 'Fix the file.',
      cause: error,
    });
  }
}
