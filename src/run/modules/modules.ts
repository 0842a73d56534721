import type { ValsError } from '../../core/errors.ts';
import type { ModuleMap } from '../protocol.ts';
import { type FollowOptions, followImports } from './follow.ts';
import { createLoader, type Entry, type LoaderOptions } from './load.ts';
import { createResolver, isFilePath, type MissingImport, pathAt } from './resolve.ts';
import type { Source, Transpiled } from './transpile.ts';

/** The modules of one run. */
export interface Modules {
  entry: Entry;
  /** The entry as JavaScript. */
  compiled: Promise<Transpiled>;
  /** All modules that the imports written in the program reach. */
  map: Promise<ModuleMap>;
  /** The source of a module, by its URL. */
  find(url: string): Source | undefined;
  sources(): Iterable<Source>;
  missing: readonly MissingImport[];
  /** `require` of TypeScript works in every module. */
  requireUsesHooks: boolean;
  /** The failure that the val got as an error with this message. */
  failure(message: string): ValsError | undefined;
  /** Another try may cure the failure with this message. */
  isUnfetched(message: string): boolean;
}

export interface ModulesOptions extends LoaderOptions, Pick<FollowOptions, 'clock' | 'requireUsesHooks'> {}

export function createModules(entry: Entry, options: ModulesOptions): Modules {
  const loader = createLoader(entry, options);
  const resolver = createResolver(entry.url);
  const map = follow();
  // Whoever starts the val waits for `compiled` first, and reports its error.
  map.catch(() => {});

  async function follow(): Promise<ModuleMap> {
    const found = await followImports(await loader.entry, { ...options, loader, resolver });
    // The val can run as soon as such a file is created.
    for (const { written, from } of resolver.missing) {
      if (isFilePath(written.specifier)) options.onFile(pathAt(written.specifier, from));
    }
    return found;
  }

  return {
    entry,
    compiled: loader.compiledEntry,
    map,
    find: (url) => loader.sources.get(url),
    sources: () => loader.sources.values(),
    missing: resolver.missing,
    requireUsesHooks: options.requireUsesHooks,
    failure: (message) => loader.failures.get(message),
    isUnfetched: (message) => loader.unfetched.has(message),
  };
}
