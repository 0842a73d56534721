import { existsSync, readFileSync } from 'node:fs';
import { extname, join, relative } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { RunFailedError, ValsError } from '../../core/errors.ts';
import { isObject, parseIfJson } from '../../core/lib/json.ts';
import { foldersAbove, isWithin, withSlashes } from '../../core/lib/paths.ts';
import { placeOfImport } from '../import-failure.ts';
import { type Answer, type Ask, isRemote, type ModuleFormat, splitQuery } from '../protocol.ts';
import { endingOf, type FetchModule } from './remote.ts';
import { isFilePath } from './resolve.ts';
import type { Compile, Source, Transpiled } from './transpile.ts';
import { createTsconfigs } from './tsconfig.ts';

export interface Entry {
  /** As messages show it. */
  name: string;
  code: string;
  /** Code of the service has the URL of a file that does not exist. */
  url: string;
  /** It is a file of this machine. */
  isFile: boolean;
}

/** The modules of one run. Node resolves them, and asks for those that it cannot read or run as they are. */
export interface Modules {
  entry: Entry;
  /** The entry as JavaScript. */
  compiled: Promise<Transpiled>;
  answer(ask: Ask): Promise<Answer>;
  /** The val can run as soon as such a file is created. */
  onFile(path: string): void;
  /** By URL. */
  sources: ReadonlyMap<string, Source>;
  /** What the val gets as errors, by their messages. */
  failures: ReadonlyMap<string, ValsError>;
  /** Where files are imported that the val may not read, by their paths. */
  refused: ReadonlyMap<string, string | undefined>;
  /** `require` of TypeScript works in every module. */
  requireUsesHooks: boolean;
}

/** Another try may fetch the module. */
export class FetchFailedError extends RunFailedError {}

export interface ModulesOptions {
  cwd: string;
  compile: Compile;
  fetchModule: FetchModule;
  onFile(path: string): void;
  /** Behind all links. Undefined if there is no such file. */
  realModule(path: string): string | undefined;
  /** Node lets the val read the file. */
  mayRead(path: string): boolean;
  /** vals may read the file for the val. Both paths are behind all links. */
  mayImport(path: string): boolean;
  requireUsesHooks: boolean;
}

const anyCode = /\.[cm]?[jt]sx?$/;
const typeScript = /\.[cm]?tsx?$/;

export function createModules(entry: Entry, options: ModulesOptions): Modules {
  const { cwd, compile, fetchModule, onFile, mayRead, mayImport, requireUsesHooks } = options;
  const compilerOptionsOf = createTsconfigs(mayImport);
  const sources = new Map<string, Source>();
  const failures = new Map<string, ValsError>();
  const refused = new Map<string, string | undefined>();
  const known = new Map<string, Promise<Answer>>();
  const entryPath = fileURLToPath(entry.url);
  const compiled = compileSource(entry.url, { ...sourceOf(entryPath, entry.code), name: entry.name });
  const entryAnswer = compiled.then((found) => answerOf(entry.url, entryPath, entry.code, found));
  // Whoever starts the val waits for `compiled` first, and reports its error.
  entryAnswer.catch(() => {});

  function sourceOf(path: string, code: string): Source {
    const name = isWithin(cwd, path) ? withSlashes(relative(cwd, path)) : path;
    return { name, code, place: path, ending: extname(path) };
  }

  async function compileSource(url: string, source: Source): Promise<Transpiled> {
    sources.set(url, source);
    const found = await compile(source, compilerOptionsOf(isRemote(url) ? entryPath : source.place));
    // While Node asks for one module, the others that the module surely needs are fetched and compiled.
    for (const specifier of found.imports) {
      if ((isFilePath(specifier) || isRemote(specifier)) && URL.canParse(specifier, url))
        void answer({ url: new URL(specifier, url).href, specifier, from: url });
    }
    return found;
  }

  function answerOf(url: string, path: string, code: string, compiled: Transpiled): Answer {
    const format = formatOf(path, compiled.syntax);
    // So `require.cache` and the rest of CommonJS are as in Node.
    const isThere = url !== entry.url || entry.isFile;
    const isLeftToNode =
      compiled.isPlain &&
      format === 'commonjs' &&
      isThere &&
      mayRead(path) &&
      (requireUsesHooks || !requires.test(code));
    return isLeftToNode ? { url, format } : { url, format, source: compiled.code };
  }

  /** Undefined for an address that no file can have, such as one with %2F or with a host, too. */
  function fileAt(address: string): string | undefined {
    try {
      return options.realModule(fileURLToPath(address));
    } catch {
      return undefined;
    }
  }

  async function file(asked: Ask): Promise<Answer> {
    const [address, query] = splitQuery(asked.url);
    const path = fileAt(address);
    // Node says why a file cannot be read.
    if (path === undefined) return {};
    const real = pathToFileURL(path).href;
    if (real === entry.url && query === '') return entryAnswer;
    if (!mayImport(path)) {
      refused.set(path, refused.get(path) ?? placeOf(asked));
      return {};
    }
    const isInPackage = inPackage.test(path);
    if (!isInPackage) onFile(path);
    const isJson = path.endsWith('.json') && !mayRead(path);
    if (!isJson && !(isInPackage ? typeScript : anyCode).test(path)) return { url: real + query };
    const code = textOf(path);
    if (code === undefined) return {};
    if (isJson) return { url: real + query, format: 'json', source: code };
    const found = answerOf(real, path, code, await compileSource(real, sourceOf(path, code)));
    return { ...found, url: real + query };
  }

  async function remote(asked: Ask): Promise<Answer> {
    const module = await fetchModule(asked.url).catch((error) => {
      throw fetchFailure(asked, error);
    });
    const { url, code } = module;
    const ending = endingOf(module);
    if (ending === '.json') return { url, format: 'json', source: code };
    const compiled = await compileSource(url, { name: url, code, place: url, ending });
    return { url, format: 'module', source: compiled.code };
  }

  const importerOf = ({ from = '' }: Ask) => sources.get(splitQuery(from)[0]);

  function placeOf(asked: Ask): string | undefined {
    const source = importerOf(asked);
    return source && placeOfImport(asked.specifier, source);
  }

  function fetchFailure(asked: Ask, error: unknown): FetchFailedError {
    const place = placeOf(asked);
    const reason = `${error instanceof Error ? error.message : error}`.replace(/\.$/, '');
    const hint = error instanceof ValsError ? error.facts.hint : undefined;
    const message = `${importerOf(asked)?.name ?? entry.name} imports ${asked.url}, which cannot be fetched: ${reason}${place ? ` (${place})` : ''}.`;
    return new FetchFailedError(message, {
      hint: hint ?? 'Check the address and your network.',
      cause: error,
    });
  }

  async function find(asked: Ask): Promise<Answer> {
    if (asked.url === entry.url) return entryAnswer;
    try {
      return await (isRemote(asked.url) ? remote(asked) : file(asked));
    } catch (error) {
      if (!(error instanceof ValsError)) throw error;
      failures.set(error.message, error);
      return { error: error.message };
    }
  }

  function answer(asked: Ask): Promise<Answer> {
    const found = known.get(asked.url) ?? find(asked);
    known.set(asked.url, found);
    // The file may be there when the val asks again.
    void found.then(({ url, error }) => url ?? error ?? known.delete(asked.url));
    return found;
  }

  return { entry, compiled, answer, onFile, sources, failures, refused, requireUsesHooks };
}

const requires = /\brequire\(/;
const inPackage = /[\\/]node_modules[\\/]/;

/** Node says why a file cannot be read, if the val reaches it. */
function textOf(path: string): string | undefined {
  try {
    return readFileSync(path, 'utf8');
  } catch {
    return undefined;
  }
}

function formatOf(path: string, syntax: Transpiled['syntax']): ModuleFormat {
  const ending = extname(path);
  if (ending.startsWith('.c')) return 'commonjs';
  if (ending.startsWith('.m') || syntax === 'esm') return 'module';
  return syntax === undefined && isInModulePackage(path) ? 'module' : 'commonjs';
}

function isInModulePackage(path: string): boolean {
  const file = foldersAbove(path)
    .map((folder) => join(folder, 'package.json'))
    .find(existsSync);
  const found = parseIfJson((file && textOf(file)) ?? '');
  return isObject(found) && found.type === 'module';
}
