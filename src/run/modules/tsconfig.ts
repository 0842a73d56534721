import { dirname } from 'node:path';
import type { TsconfigRaw } from 'esbuild';
import { getTsconfig } from 'get-tsconfig';
import { LocalError } from '../../core/errors.ts';

export type CompilerOptions = NonNullable<Exclude<TsconfigRaw, string>['compilerOptions']>;

/** Only JSX and decorators are read: what `paths` resolves could run on no service. */
export function createTsconfigs(): (file: string) => CompilerOptions {
  const byFolder = new Map<string, CompilerOptions>();
  return (file) => {
    const folder = dirname(file);
    const found = byFolder.get(folder) ?? read(folder);
    byFolder.set(folder, found);
    return found;
  };
}

function read(folder: string): CompilerOptions {
  try {
    const { jsx, ...options } = getTsconfig(folder)?.config.compilerOptions ?? {};
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
