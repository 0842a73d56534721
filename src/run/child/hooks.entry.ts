// Hooks of Node's module loader. They run in the val's thread, or on Node 20 in a thread of their own.
import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { extname } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import type { ModuleReply, ModuleRequest } from '../protocol.ts';
import { isRemote, remoteAddress } from '../remote-address.ts';
import { readModuleReply, sendRequest } from './channel.ts';

export interface ResolveContext {
  parentURL?: string | undefined;
  conditions: readonly string[];
}

export interface LoadContext {
  format?: string | null | undefined;
  /** Node 20 leaves them out. */
  conditions?: readonly string[];
  importAttributes?: { type?: string };
}

type Resolved = { url: string; shortCircuit?: boolean };
type Loaded = { format: string; source?: unknown; shortCircuit?: boolean };
/** Node 20 waits for a promise. Later versions call the hooks synchronously. */
type MaybeLater<T> = T | Promise<T>;

export interface HookData {
  /** One thread at a time may wait for a reply. */
  lock: SharedArrayBuffer;
  entry: string;
}

const state: HookData = { lock: new SharedArrayBuffer(4), entry: '' };
/** The modules whose tsconfig.json has `paths`. Only for their imports vals is asked first. */
const withPaths = new Set<string>();

export function initialize(data: HookData): void {
  Object.assign(state, data);
}

export function resolve(
  specifier: string,
  context: ResolveContext,
  next: (specifier: string, context: ResolveContext) => MaybeLater<Resolved>,
): MaybeLater<Resolved> {
  const from = context.parentURL;
  const remote = remoteAddress(specifier, from);
  if (remote !== undefined) {
    return {
      url: urlIn(ask({ kind: 'fetch', url: remote, specifier, ...(from && { from }) })) ?? remote,
      shortCircuit: true,
    };
  }
  const name = specifier.replace(/^npm:\/?((?:@[^/]+\/)?[^/@]+)(?:@[^/]*)?/, '$1');
  const mapped = mappedUrl(name, from);
  if (mapped !== undefined) return { url: mapped, shortCircuit: true };
  return orElse(
    () => next(name, from !== undefined && isRemote(from) ? { ...context, parentURL: state.entry } : context),
    (error) => {
      const { code = '', url: missing } = error as NodeJS.ErrnoException & { url?: string };
      const written = name === specifier ? {} : { written: specifier };
      const request = { specifier: name, ...written, ...(from && { from }), ...(missing && { missing }) };
      const found = notFound.has(code) ? urlIn(ask({ kind: 'find', ...request })) : undefined;
      if (found === undefined) throw error;
      return { url: found, shortCircuit: true };
    },
  );
}

/** The `paths` of tsconfig.json come before packages and modules of Node. */
function mappedUrl(specifier: string, from: string | undefined): string | undefined {
  if (from === undefined || !withPaths.has(from) || notMapped.test(specifier)) return undefined;
  return urlIn(ask({ kind: 'map', specifier, from }));
}

const notMapped = /^(?:\.{0,2}\/|\.{1,2}$|[a-z][\w+.-]*:)/i;

const notFound = new Set(['ERR_MODULE_NOT_FOUND', 'ERR_UNSUPPORTED_DIR_IMPORT', 'MODULE_NOT_FOUND']);

export function load(
  url: string,
  context: LoadContext,
  next: (url: string, context: LoadContext) => MaybeLater<Loaded>,
): MaybeLater<Loaded> {
  if (isRemote(url)) return moduleIn(ask({ kind: 'load', url }));
  if (!url.startsWith('file:')) return next(url, context);
  const path = fileURLToPath(url);
  const isInPackage = path.startsWith(__dirname) || /[\\/]node_modules[\\/]/.test(path);
  if ((isInPackage ? typeScript : anyCode).test(path)) {
    const reply = askForCode(url, path);
    // Node loads JavaScript itself, so that its text, its lines and its errors stay as they are.
    if (reply.kind === 'plain') return next(url, { ...context, format: reply.format });
    return leftToRequire(path, moduleIn(reply), context);
  }
  if (!isInPackage) locked(() => sendRequest({ kind: 'used', url }));
  const isForNode = context.importAttributes?.type === 'json' || context.conditions?.includes('require');
  return path.endsWith('.json') && !isForNode ? jsonModule(path) : next(url, context);
}

function askForCode(url: string, path: string): ModuleReply {
  const code = readIfPresent(path);
  const reply = ask({ kind: 'load', url, ...(code !== undefined && { code }) });
  if ('hasPaths' in reply && reply.hasPaths) withPaths.add(url);
  return reply;
}

const typeScript = /\.[cm]?tsx?$/;
const anyCode = /\.[cm]?[jt]sx?$/;

/** Before Node 24, the `require` of a module whose code comes from a hook does not use the hooks. */
export const needsExtensions = Number.parseInt(process.versions.node, 10) < 24;
const endingsForRequire = ['.ts', '.tsx', '.mts', '.cts', '.jsx'];

/** Adds the endings that `require` does not know. It finds files with these endings, and loads them with this function. */
export function extendRequire(): void {
  for (const ending of endingsForRequire) {
    require.extensions[ending] = (module: NodeModule & { _compile?: Compile }, path) => {
      const { href: url } = pathToFileURL(path);
      const { format, source } = moduleIn(askForCode(url, path));
      if (format === 'module' && !process.features.require_module) {
        throw new Error(
          `${path} is an ES module. Before Node 20.19, only \`import\` loads ES modules, not \`require\`.`,
        );
      }
      module.require = requireFrom(module, path, url);
      // Node 20.18 takes any third argument for the wish to load an ES module.
      if (format === 'module') module._compile?.(`${source}`, path, format);
      else module._compile?.(`${source}`, path);
    };
  }
}

type Compile = (code: string, path: string, format?: string) => void;

/** The `require` of a module in TypeScript, which finds what `import` finds. */
function requireFrom(module: NodeModule, path: string, from: string): NodeModule['require'] {
  const load = module.require.bind(module);
  const { resolve } = createRequire(path);
  return (specifier) => {
    const mapped = mappedUrl(specifier, from);
    if (mapped !== undefined) return load(fileURLToPath(mapped));
    try {
      resolve(specifier);
    } catch (error) {
      const found = urlIn(ask({ kind: 'find', specifier, from }));
      if (found === undefined) throw error;
      return load(fileURLToPath(found));
    }
    return load(specifier);
  };
}

/** Without its code, Node leaves a CommonJS module to `require`. */
function leftToRequire(path: string, loaded: Loaded, { conditions }: LoadContext): Loaded {
  if (conditions?.includes('require')) return loaded;
  const isKnown = endingsForRequire.includes(extname(path));
  if (!needsExtensions || loaded.format !== 'commonjs' || !isKnown || !isFile(path)) return loaded;
  return { format: 'commonjs', source: null, shortCircuit: true };
}

/** The code of a val on the service is in no file, so only vals knows it. */
function readIfPresent(path: string): string | undefined {
  try {
    return readFileSync(path, 'utf8');
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined;
    throw error;
  }
}

const isFile = (path: string): boolean => readIfPresent(path) !== undefined;

/** For programs that were written for a bundler: they import JSON without `with { type: 'json' }`, and single keys of it. */
function jsonModule(path: string): Loaded {
  const text = readFileSync(path, 'utf8').replace(/^\ufeff/, '');
  const value: unknown = JSON.parse(text);
  const keys = typeof value === 'object' && value !== null && !Array.isArray(value) ? Object.keys(value) : [];
  const names = keys.filter((key) => key !== 'default' && !/\p{Surrogate}/u.test(key));
  const source = [
    `const json = JSON.parse(${JSON.stringify(text)});`,
    'export default json;',
    ...names.map((name, index) => `const _${index} = json[${JSON.stringify(name)}];`),
    `export { ${names.map((name, index) => `_${index} as ${JSON.stringify(name)}`).join(', ')} };`,
  ].join('\n');
  return { format: 'module', source, shortCircuit: true };
}

function ask(request: ModuleRequest): ModuleReply {
  return locked(() => {
    sendRequest(request);
    return readModuleReply();
  });
}

function locked<T>(work: () => T): T {
  const lock = new Int32Array(state.lock);
  while (Atomics.compareExchange(lock, 0, 0, 1) !== 0) Atomics.wait(lock, 0, 1);
  try {
    return work();
  } finally {
    Atomics.store(lock, 0, 0);
    Atomics.notify(lock, 0, 1);
  }
}

function moduleIn(reply: ModuleReply): Loaded {
  if (reply.kind === 'failed') throw new SyntaxError(reply.message);
  if (reply.kind !== 'module') throw new TypeError('vals did not send a module.');
  const { format, source } = reply;
  return { format, source, shortCircuit: true };
}

function urlIn(reply: ModuleReply): string | undefined {
  if (reply.kind === 'failed') throw new Error(reply.message);
  return reply.kind === 'url' ? reply.url : undefined;
}

function orElse<T>(attempt: () => MaybeLater<T>, recover: (error: unknown) => T): MaybeLater<T> {
  try {
    const result = attempt();
    return result instanceof Promise ? result.catch(recover) : result;
  } catch (error) {
    return recover(error);
  }
}
