import { existsSync } from 'node:fs';
import { dirname, join } from 'node:path';
import type { TsconfigRaw } from 'esbuild';
import { parseTsconfig } from 'get-tsconfig';
import { LocalError } from '../../core/errors.ts';
import { foldersAbove, realPath } from '../../core/lib/paths.ts';
import { errorMessageOf } from '../../core/lib/system.ts';

export type CompilerOptions = NonNullable<Exclude<TsconfigRaw, string>['compilerOptions']>;

type MayRead = (path: string) => boolean;

/** Only JSX and decorators are read: what `paths` resolves could run on no service. */
export function createTsconfigs(mayRead: MayRead): (file: string) => CompilerOptions {
  const byFolder = new Map<string, CompilerOptions>();
  return (file) => {
    const folder = dirname(file);
    const found = byFolder.get(folder) ?? read(nearest(file, mayRead), mayRead);
    byFolder.set(folder, found);
    return found;
  };
}

const nearest = (file: string, mayRead: MayRead): string | undefined =>
  foldersAbove(file)
    .map((folder) => join(folder, 'tsconfig.json'))
    .find((path) => mayRead(path) && existsSync(path));

function read(path: string | undefined, mayRead: MayRead): CompilerOptions {
  if (path === undefined) return {};
  const { jsx, ...options } = parse(path, mayRead);
  return {
    // Any other value, such as `preserve`, is meant for another tool.
    jsx: jsx === 'react' ? jsx : undefined,
    jsxFactory: options.jsxFactory,
    jsxFragmentFactory: options.jsxFragmentFactory,
    jsxImportSource: options.jsxImportSource,
    experimentalDecorators: options.experimentalDecorators,
    useDefineForClassFields: options.useDefineForClassFields,
  };
}

function parse(path: string, mayRead: MayRead) {
  const filesRead = new Map<string, string>();
  const { compilerOptions = {} } = parseOrThrow(path, filesRead);
  for (const key of filesRead.keys()) {
    const [, file] = /^readFileSync:(.*):utf8$/s.exec(key) ?? [];
    if (file === undefined || mayRead(realPath(file))) continue;
    throw new LocalError(`${path} is read from ${realPath(file)}, which the val may not read.`, {
      hint: 'To allow it, add --allow-read with that path before the file or val.',
    });
  }
  return compilerOptions;
}

/** The package keeps what it reads in the map, also of the files that this one extends. */
function parseOrThrow(path: string, filesRead: Map<string, string>) {
  try {
    return parseTsconfig(path, filesRead);
  } catch (error) {
    throw new LocalError(`${path} cannot be read: ${errorMessageOf(error)}`, {
      hint: 'Fix the file.',
      cause: error,
    });
  }
}
