import type { ModuleMap } from '../protocol.ts';
import { followImports, type ImportOptions } from './follow.ts';
import { createLoader, type Entry, type Loader, type LoaderOptions } from './load.ts';
import { createModuleResolver, isFilePath, type MissingImport, pathAt } from './resolve.ts';
import type { Transpiled } from './transpile.ts';

/** The modules of one run. */
export interface Modules extends Pick<Loader, 'sources' | 'failures'> {
  entry: Entry;
  /** The entry as JavaScript. */
  compiled: Promise<Transpiled>;
  /** All modules that the imports written in the program reach. */
  map: Promise<ModuleMap>;
  missing: readonly MissingImport[];
  /** `require` of TypeScript works in every module. */
  requireUsesHooks: boolean;
}

export interface ModulesOptions extends LoaderOptions, Pick<ImportOptions, 'clock' | 'requireUsesHooks'> {}

export function createModules(entry: Entry, options: ModulesOptions): Modules {
  const loader = createLoader(entry, options);
  const resolver = createModuleResolver(entry.url);
  const { requireUsesHooks } = options;
  const { compiledEntry: compiled, sources, failures } = loader;
  const { missing } = resolver;
  const map = follow();
  // Whoever starts the val waits for `compiled` first, and reports its error.
  map.catch(() => {});

  async function follow(): Promise<ModuleMap> {
    const found = await followImports(await loader.entry, { ...options, loader, resolver });
    // The val can run as soon as such a file is created.
    for (const { written, from } of missing) {
      if (isFilePath(written.specifier)) options.onFile(pathAt(written.specifier, from));
    }
    return found;
  }

  return { entry, compiled, map, sources, failures, missing, requireUsesHooks };
}
