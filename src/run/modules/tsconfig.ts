import { dirname } from 'node:path';
import type { TsconfigRaw } from 'esbuild';
import { getTsconfig } from 'get-tsconfig';
import { LocalError } from '../../core/errors.ts';

export type CompilerOptions = NonNullable<Exclude<TsconfigRaw, string>['compilerOptions']>;

export interface TsconfigOptions {
  /** A link on the way to the file leads out of the project. */
  leadsOut(path: string): boolean;
  warn(text: string): void;
}

/** Only JSX and decorators are read: what `paths` resolves could run on no service. */
export function createTsconfigs(options: TsconfigOptions): (file: string) => CompilerOptions {
  const byFolder = new Map<string, CompilerOptions>();
  return (file) => {
    const folder = dirname(file);
    const found = byFolder.get(folder) ?? read(folder, options);
    byFolder.set(folder, found);
    return found;
  };
}

/** get-tsconfig asks its cache before it reads a file, also a file that another one extends. */
class OwnFiles extends Map<string, unknown> {
  refused: string | undefined;
  constructor(private readonly leadsOut: TsconfigOptions['leadsOut']) {
    super();
  }
  override get(key: string): unknown {
    const [, path] = /^readFileSync:(.*):utf8$/s.exec(key) ?? [];
    if (path === undefined || !this.leadsOut(path)) return super.get(key);
    this.refused = path;
    throw new Error('It is a link that leads out of the project.');
  }
}

function read(folder: string, { leadsOut, warn }: TsconfigOptions): CompilerOptions {
  const files = new OwnFiles(leadsOut);
  try {
    const { jsx, ...options } = getTsconfig(folder, 'tsconfig.json', files)?.config.compilerOptions ?? {};
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
    if (files.refused !== undefined) {
      warn(`tsconfig.json was not used, because ${files.refused} is a link that leads out of the project.`);
      return {};
    }
    throw new LocalError(`The tsconfig.json for ${folder} cannot be read: ${(error as Error).message}`, {
      hint: 'Fix the file.',
      cause: error,
    });
  }
}
