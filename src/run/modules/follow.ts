import { type Clock, within } from '../../core/lib/waiting.ts';
import { isRemote, type ModuleMap, splitQuery } from '../protocol.ts';
import type { LoadedModule, Loader } from './load.ts';
import { remoteAddress } from './remote.ts';
import { type ImportOf, isFilePath, type Resolver } from './resolve.ts';

export interface ImportOptions {
  resolver: Resolver;
  loader: Loader;
  clock: Clock;
  /** Else only the `require` of modules whose source came from the hooks asks the hooks. */
  requireUsesHooks: boolean;
}

/** What only `import()` reaches may be never reached, so the val does not wait longer for it. */
const mostSecondsForLater = 5;

export async function followImports(
  entry: LoadedModule,
  { resolver, loader, clock, requireUsesHooks }: ImportOptions,
): Promise<ModuleMap> {
  const map: ModuleMap = { entry: entry.url, modules: {}, redirects: {} };
  const seen = new Set([entry.url]);
  const loaded: LoadedModule[] = [];
  const later: ImportOf[] = [];
  const unanswered = new Map<string, ImportOf>();
  let isLater = false;

  async function add(module: LoadedModule): Promise<void> {
    loaded.push(module);
    map.modules[module.url] = module.mapped;
    const imports = module.imports.map((written) => ({ written, importer: module.url }));
    const isNow = ({ written: { kind } }: ImportOf) => isLater || kind === 'import' || kind === 'require';
    later.push(...imports.filter((each) => !isNow(each)));
    await Promise.all(imports.filter(isNow).map(follow));
  }

  async function follow(each: ImportOf): Promise<void> {
    const named = addressOf(each);
    if (named === undefined || seen.has(named)) return;
    seen.add(named);
    if (isRemote(named)) unanswered.set(named, each);
    const module = await loader.load(named, each);
    unanswered.delete(named);
    if (module === undefined) return;
    if (module.url !== named) {
      map.redirects[named] = module.url;
      if (seen.has(module.url)) return;
      seen.add(module.url);
    }
    await add(module);
  }

  /** Undefined if there is nothing to load ahead. */
  function addressOf({ written, importer }: ImportOf): string | undefined {
    const remote = remoteAddress(written.specifier, importer);
    if (remote !== undefined) return remote;
    const resolved = resolver.resolve({ written, importer });
    if (!resolved?.startsWith('file:')) return undefined;
    // With a query, a module is loaded once more, from the same file.
    const [url] = splitQuery(resolved);
    // Behind a link, the module has another URL than its import says.
    const isPath = written.kind !== 'require' && isFilePath(written.specifier);
    const [named] = isPath ? splitQuery(new URL(written.specifier, importer).href) : [url];
    if (named !== url) map.redirects[named] = url;
    return url;
  }

  await add(entry);
  isLater = true;
  await within(clock, mostSecondsForLater * 1_000, Promise.all(later.map(follow)), undefined);
  for (const [url, each] of unanswered) map.modules[url] = loader.unanswered(url, each, mostSecondsForLater);
  if (!requireUsesHooks) giveSourcesToRequirers(loaded, map, resolver);
  return map;
}

/** A CommonJS module that Node would read itself gets its source from vals if it requires what only vals can load. */
function giveSourcesToRequirers(
  loaded: readonly LoadedModule[],
  { modules }: ModuleMap,
  resolver: Resolver,
): void {
  const hasSource = (url: string | undefined) => {
    const found = url === undefined ? undefined : modules[url];
    return found !== undefined && 'source' in found && found.source !== undefined;
  };
  const waiting = new Set(loaded.filter(({ url }) => !hasSource(url)));
  const next = () =>
    [...waiting].find(({ url, imports }) =>
      imports.some(
        (each) => each.kind === 'require' && hasSource(resolver.resolve({ written: each, importer: url })),
      ),
    );
  for (let module = next(); module !== undefined; module = next()) {
    waiting.delete(module);
    modules[module.url] = { format: 'commonjs', source: module.code };
  }
}
