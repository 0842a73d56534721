import { existsSync, readFileSync } from 'node:fs';
import { extname, join, relative } from 'node:path';
import { fileURLToPath } from 'node:url';
import { RunFailedError, ValsError } from '../../core/errors.ts';
import { foldersAbove, isWithin, withSlashes } from '../../core/lib/paths.ts';
import { placeOfImport } from '../import-failure.ts';
import { readPackage } from '../process/packages.ts';
import { isRemote, type MappedModule, type ModuleFormat } from '../protocol.ts';
import { endingOf, type FetchModule } from './remote.ts';
import type { ImportOf } from './resolve.ts';
import type { Compile, Source, Transpiled, WrittenImport } from './transpile.ts';
import { createTsconfigs, type TsconfigOptions } from './tsconfig.ts';

export interface Entry {
  /** As messages show it. */
  name: string;
  code: string;
  /** Code of the service has the URL of a file that does not exist. */
  url: string;
  /** It is a file of this machine. */
  isFile: boolean;
}

export interface LoadedModule {
  url: string;
  mapped: MappedModule;
  code: string;
  imports: readonly WrittenImport[];
}

export interface Loader {
  compiledEntry: Promise<Transpiled>;
  entry: Promise<LoadedModule>;
  /** Undefined for what Node loads as it is. */
  load(url: string, by: ImportOf): Promise<LoadedModule | undefined>;
  /** In place of a module that did not come in time. */
  unanswered(url: string, by: ImportOf, seconds: number): MappedModule;
  /** By URL. */
  sources: ReadonlyMap<string, Source>;
  /** What the val gets as errors, by their messages. */
  failures: ReadonlyMap<string, ValsError>;
}

/** Another try may fetch the module. */
export class FetchFailedError extends RunFailedError {}

export interface LoaderOptions extends TsconfigOptions {
  cwd: string;
  compile: Compile;
  fetchModule: FetchModule;
  onFile(path: string): void;
  /** The val itself may read the file. */
  mayRead(path: string): boolean;
  /** The code is a file of the person who runs it, so it gets all files that it imports. */
  isOwnFile: boolean;
  /** No import gets a file of vals's own config or data. */
  isOfVals(path: string): boolean;
}

const anyCode = /\.[cm]?[jt]sx?$/;
const typeScript = /\.[cm]?tsx?$/;

export function createLoader(entry: Entry, options: LoaderOptions): Loader {
  const { cwd, compile, fetchModule, onFile, mayRead, isOwnFile, isOfVals } = options;
  const compilerOptionsOf = createTsconfigs(options);
  const sources = new Map<string, Source>();
  const failures = new Map<string, ValsError>();
  const entryPath = fileURLToPath(entry.url);
  const compiledEntry = compileSource(entry.url, { ...sourceOf(entryPath, entry.code), name: entry.name });
  const loadedEntry = compiledEntry.then((compiled) => moduleOf(entry.url, entryPath, entry.code, compiled));
  // Whoever starts the val waits for `compiledEntry` first, and reports its error.
  loadedEntry.catch(() => {});

  function sourceOf(path: string, code: string): Source {
    const name = isWithin(cwd, path) ? withSlashes(relative(cwd, path)) : path;
    return { name, code, place: path, ending: extname(path) };
  }

  function compileSource(url: string, source: Source): Promise<Transpiled> {
    sources.set(url, source);
    return compile(source, compilerOptionsOf(isRemote(url) ? entryPath : source.place));
  }

  function moduleOf(url: string, path: string, code: string, compiled: Transpiled): LoadedModule {
    const format = formatOf(path, compiled.syntax);
    // So `require.cache` and the rest of CommonJS are as in Node.
    const isThere = url !== entry.url || entry.isFile;
    const isLeftToNode = compiled.isPlain && format === 'commonjs' && isThere && mayRead(path);
    const mapped = isLeftToNode ? { format } : { format, source: compiled.code };
    return { url, mapped, code, imports: compiled.imports };
  }

  async function loadFile(url: string, { importer }: ImportOf): Promise<LoadedModule | undefined> {
    const path = fileURLToPath(url);
    // Node refuses to read it.
    if (!mayRead(path) && (!isOwnFile || isRemote(importer) || isOfVals(path))) return undefined;
    const isInPackage = /[\\/]node_modules[\\/]/.test(path);
    if (!isInPackage) onFile(path);
    const isJson = path.endsWith('.json') && !mayRead(path);
    if (!isJson && !(isInPackage ? typeScript : anyCode).test(path)) return undefined;
    const code = textOf(path);
    if (code === undefined) return undefined;
    if (isJson) return { url, mapped: { format: 'json', source: code }, code, imports: [] };
    return moduleOf(url, path, code, await compileSource(url, sourceOf(path, code)));
  }

  async function loadRemote(address: string, by: ImportOf): Promise<LoadedModule> {
    const module = await fetchModule(address).catch((error) => {
      throw fetchFailure(address, by, error);
    });
    const { url, code } = module;
    const ending = endingOf(module);
    if (ending === '.json') return { url, mapped: { format: 'json', source: code }, code, imports: [] };
    const compiled = await compileSource(url, { name: url, code, place: url, ending });
    return { url, mapped: { format: 'module', source: compiled.code }, code, imports: compiled.imports };
  }

  function fetchFailure(url: string, { written, importer }: ImportOf, error: unknown): FetchFailedError {
    const source = sources.get(importer);
    const place = source && placeOfImport(written.specifier, source);
    const reason = `${error instanceof Error ? error.message : error}`.replace(/\.$/, '');
    const hint = error instanceof ValsError ? error.facts.hint : undefined;
    const message = `${source?.name ?? entry.name} imports ${url}, which cannot be fetched: ${reason}${place ? ` (${place})` : ''}.`;
    return new FetchFailedError(message, {
      hint: hint ?? 'Check the address and your network.',
      cause: error,
    });
  }

  function failed(failure: unknown): MappedModule {
    if (!(failure instanceof ValsError)) throw failure;
    failures.set(failure.message, failure);
    return { error: failure.message };
  }

  return {
    compiledEntry,
    entry: loadedEntry,
    sources,
    failures,
    async load(url, by) {
      try {
        return await (isRemote(url) ? loadRemote(url, by) : loadFile(url, by));
      } catch (error) {
        return { url, mapped: failed(error), code: '', imports: [] };
      }
    },
    unanswered: (url, by, seconds) =>
      failed(fetchFailure(url, by, new Error(`the server did not answer within ${seconds} s`))),
  };
}

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
  return file !== undefined && readPackage(file).type === 'module';
}
