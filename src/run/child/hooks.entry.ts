// Hooks of Node's module loader. They run in the val's thread, or on older Nodes in a thread of their own.
import { isRemote, type MappedModule, type ModuleMap, splitQuery, withoutNpm } from '../protocol.ts';

interface ResolveContext {
  parentURL?: string | undefined;
  conditions: readonly string[];
}

interface LoadContext {
  format?: string | null | undefined;
  /** Node 20 leaves them out. */
  conditions?: readonly string[];
  importAttributes?: { type?: string };
}

type Resolved = { url: string; shortCircuit?: boolean };
type Loaded = { format: string; source?: unknown; shortCircuit?: boolean };
/** In a thread of their own, hooks may return promises. */
type MaybeLater<T> = T | Promise<T>;

let map: ModuleMap = { entry: '', modules: {}, redirects: {} };

export function initialize(given: ModuleMap): void {
  map = given;
}

export function resolve(
  specifier: string,
  context: ResolveContext,
  next: (specifier: string, context: ResolveContext) => MaybeLater<Resolved>,
): MaybeLater<Resolved> {
  const url = addressOf(specifier, context.parentURL);
  const mapped = url && redirected(url);
  if (mapped && moduleAt(mapped)) return { url: mapped, shortCircuit: true };
  // What a module on the web imports from a package is a package of the val.
  const isOnWeb = isRemote(context.parentURL ?? '');
  return next(withoutNpm(specifier), isOnWeb ? { ...context, parentURL: map.entry } : context);
}

export function load(
  url: string,
  context: LoadContext,
  next: (url: string, context: LoadContext) => MaybeLater<Loaded>,
): MaybeLater<Loaded> {
  const module = moduleAt(url);
  if (module === undefined) return next(url, context);
  if ('error' in module)
    throw url.startsWith('file:') ? new SyntaxError(module.error) : new Error(module.error);
  const { format, source } = module;
  if (source === undefined) return next(url, { ...context, format });
  return { format, source, shortCircuit: true };
}

/** Undefined for a package. */
function addressOf(specifier: string, from: string | undefined): string | undefined {
  if (/^\.{0,2}\//.test(specifier))
    return URL.canParse(specifier, from) ? new URL(specifier, from).href : undefined;
  return /^(?:file|https?):/.test(specifier) ? specifier : undefined;
}

function redirected(url: string): string {
  const [address, query] = splitQuery(url);
  return map.redirects[url] ?? (map.redirects[address] ?? address) + query;
}

const moduleAt = (url: string): MappedModule | undefined =>
  map.modules[url] ?? map.modules[splitQuery(url)[0]];
