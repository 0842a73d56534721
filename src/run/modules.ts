import { existsSync } from 'node:fs';
import { extname, join, relative } from 'node:path';
import { fileURLToPath } from 'node:url';
import { RunFailedError, ValsError } from '../core/errors.ts';
import { foldersAbove, isWithin, withSlashes } from '../core/lib/paths.ts';
import type { Compile } from './compiled.ts';
import { findFile } from './find-file.ts';
import { type MissingImport, placeOfImport } from './import-failure.ts';
import { readPackage } from './packages.ts';
import type { ModuleFormat, ModuleReply, ModuleRequest } from './protocol.ts';
import { endingOf, type FetchModule, type RemoteModule, reasonOf } from './remote.ts';
import { isRemote, remoteAddress } from './remote-address.ts';
import type { Source, Transpiled } from './transpile.ts';
import { createTsconfigs, type Tsconfigs } from './tsconfig.ts';

export interface Entry {
  /** As messages show it. */
  name: string;
  code: string;
  /** Code of the service has the URL of a file that does not exist. */
  url: string;
  /** It is a file of this machine. */
  isFile: boolean;
}

export interface Modules {
  entry: Entry;
  /** The entry as JavaScript. */
  compiled: Promise<Transpiled>;
  answer(request: ModuleRequest): Promise<ModuleReply | undefined>;
  /** The source of a module of this run, by its URL. */
  find(url: string): Source | undefined;
  sources(): Iterable<Source>;
  missingImports: readonly MissingImport[];
  /** The failure whose message the val got for an import. */
  failure(message: string): ValsError | undefined;
}

export interface ModulesOptions {
  cwd: string;
  compile: Compile;
  fetchModule: FetchModule;
  onFile(path: string): void;
}

type RequestOf<Kind> = Extract<ModuleRequest, { kind: Kind }>;

export function createModules(entry: Entry, options: ModulesOptions): Modules {
  const { fetchModule, onFile } = options;
  const failures: ValsError[] = [];
  const missingImports: MissingImport[] = [];
  const tsconfigs = createTsconfigs();
  const { transpiledEntry, sources, load } = createLoader(entry, options, tsconfigs);

  async function fetched({ url, specifier, from }: RequestOf<'fetch'>): Promise<ModuleReply> {
    try {
      return { kind: 'url', url: (await fetchModule(url)).url };
    } catch (error) {
      const importer = from === undefined ? undefined : sources.get(from);
      const place = importer && placeOfImport(specifier, importer);
      throw new RunFailedError(
        `${importer?.name ?? entry.name} imports ${url}, which cannot be fetched: ${reasonOf(error)}${place ? ` (${place})` : ''}.`,
        { hint: 'Check the address and your network.', cause: error },
      );
    }
  }

  function find({ specifier, written = specifier, from, missing }: RequestOf<'find'>): ModuleReply {
    if (specifier === entry.url || missing === entry.url) return { kind: 'url', url: entry.url };
    const importer = fileURLToPath(from?.startsWith('file:') ? from : entry.url);
    const { url, looked } = findFile(specifier, { importer, missing, tsconfigs });
    if (url !== undefined) return { kind: 'url', url };
    // The val can run as soon as one of them is created.
    for (const path of looked) onFile(path);
    const missingImport = { specifier, written, from: from ?? entry.url, isMapped: looked.length > 0 };
    missingImports.push(missingImport);
    return { kind: 'url', url: undefined };
  }

  function map({ specifier, from }: RequestOf<'map'>): ModuleReply {
    const importer = fileURLToPath(from);
    if (!tsconfigs.isMapped(specifier, importer)) return { kind: 'url', url: undefined };
    const { url } = findFile(specifier, { importer, missing: undefined, tsconfigs });
    return { kind: 'url', url };
  }

  return {
    entry,
    compiled: transpiledEntry,
    async answer(request) {
      try {
        switch (request.kind) {
          case 'used':
            onFile(fileURLToPath(request.url));
            return undefined;
          case 'load':
            return await load(request.url, request.code);
          case 'find':
            return find(request);
          case 'map':
            return map(request);
          case 'fetch':
            return await fetched(request);
        }
      } catch (error) {
        if (!(error instanceof ValsError)) throw error;
        failures.push(error);
        return { kind: 'failed', message: error.message };
      }
    },
    find: (url) => sources.get(url),
    sources: () => sources.values(),
    missingImports,
    failure: (message) => failures.find((failure) => failure.message === message),
  };
}

/** Loads the modules of a run as JavaScript, and keeps their sources. */
function createLoader(entry: Entry, options: ModulesOptions, tsconfigs: Tsconfigs) {
  const { cwd, compile, fetchModule, onFile } = options;
  const sources = new Map<string, Source>();
  const entryPath = fileURLToPath(entry.url);

  const nameOf = (path: string) => (isWithin(cwd, path) ? withSlashes(relative(cwd, path)) : path);

  async function transpileFile(url: string, source: Source, path: string): Promise<Transpiled> {
    sources.set(url, source);
    const transpiled = await compile(source, tsconfigs.compilerOptions(path));
    prefetch(transpiled.imports, url);
    return transpiled;
  }

  const { name, code, url: entryUrl } = entry;
  const ofEntry = { name, code, place: entryPath, ending: extname(entryPath) };
  const transpiledEntry = transpileFile(entryUrl, ofEntry, entryPath);
  // The loader of the val meets the error later.
  transpiledEntry.catch(() => {});

  async function load(url: string, code: string | undefined): Promise<ModuleReply> {
    if (isRemote(url)) return loadRemote(await fetchModule(url));
    const path = fileURLToPath(url);
    const hasPaths = tsconfigs.hasPaths(path);
    const transpiled = url === entryUrl ? await transpiledEntry : await loadFile(url, path, code);
    const format = formatOf(path, transpiled.syntax);
    return transpiled.isPlain
      ? { kind: 'plain', format, hasPaths }
      : { kind: 'module', format, source: transpiled.code, hasPaths };
  }

  function loadFile(url: string, path: string, code: string | undefined): Promise<Transpiled> {
    onFile(path);
    if (code === undefined) throw new RunFailedError(`The file ${path} does not exist.`);
    return transpileFile(url, { name: nameOf(path), code, place: path, ending: extname(path) }, path);
  }

  async function loadRemote(module: RemoteModule): Promise<ModuleReply> {
    const { url, code } = module;
    const ending = endingOf(module);
    if (ending === '.json') return { kind: 'module', format: 'json', source: code };
    const transpiled = await transpileFile(url, { name: url, code, place: url, ending }, entryPath);
    return { kind: 'module', format: 'module', source: transpiled.code };
  }

  /** The loader asks for one module after the other. Without this, each would wait for the network. */
  function prefetch(imports: readonly string[], from: string): void {
    for (const specifier of imports) {
      const address = remoteAddress(specifier, from);
      if (address !== undefined) fetchModule(address).catch(() => {});
    }
  }

  return { transpiledEntry, sources, load };
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
