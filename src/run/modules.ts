import { existsSync, readFileSync, statSync } from 'node:fs';
import { dirname, extname, join, relative } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { RunFailedError, ValsError } from '../errors.ts';
import { isObject, type JsonObject } from '../lib/json.ts';
import { foldersAbove, isWithin, withSlashes } from '../lib/paths.ts';
import type { Compile } from './compiled.ts';
import { importFailure, isOfOtherRuntime, type MissingImport, placeOfImport } from './import-failure.ts';
import type { ModuleReply, ModuleRequest } from './protocol.ts';
import { endingOf, type FetchModule, type RemoteModule, reasonOf } from './remote.ts';
import type { Source, Transpiled } from './transpile.ts';
import { createTsconfigs } from './tsconfig.ts';

export interface Entry {
  /** As messages show it. */
  name: string;
  code: string;
  /** Code of the service has the URL of a file that does not exist. */
  url: string;
  isFile: boolean;
}

export interface Modules {
  entry: Promise<Transpiled>;
  answer(request: ModuleRequest): Promise<ModuleReply | undefined>;
  /** The source of a module of this run, by its URL. */
  find(url: string): Source | undefined;
  sources(): Iterable<Source>;
  missingImports: readonly MissingImport[];
  /** Names the val in a command. A val of the service is left out, because a file may have its name. */
  val: { val?: string };
  looksLikeHttp(): boolean;
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

export function createModules(entry: Entry, { cwd, compile, fetchModule, onFile }: ModulesOptions): Modules {
  const sources = new Map<string, Source>();
  const failures: ValsError[] = [];
  const missingImports: MissingImport[] = [];
  const tsconfigs = createTsconfigs();
  const entryPath = fileURLToPath(entry.url);

  const nameOf = (path: string) => (isWithin(cwd, path) ? withSlashes(relative(cwd, path)) : path);

  function transpileFile(url: string, source: Source, path: string): Promise<Transpiled> {
    sources.set(url, source);
    return compile(source, tsconfigs.compilerOptions(path));
  }

  const transpiledEntry = (async () => {
    const { name, code, url } = entry;
    return transpileFile(url, { name, code, place: entryPath, ending: extname(entryPath) }, entryPath);
  })();
  transpiledEntry.then(
    ({ imports }) => prefetch(imports, entry.url),
    () => {},
  );

  async function load(url: string, code: string | undefined): Promise<ModuleReply> {
    if (/^https?:/.test(url)) return loadRemote(await fetchModule(url));
    const path = fileURLToPath(url);
    const {
      syntax,
      code: source,
      isPlain,
    } = url === entry.url ? await transpiledEntry : await loadFile(url, path, code);
    return { kind: 'module', format: formatOf(path, syntax), source, ...(isPlain && { isPlain }) };
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
    prefetch(transpiled.imports, url);
    return { kind: 'module', format: 'module', source: transpiled.code };
  }

  /** The loader asks for one module after the other. Without this, each would wait for the network. */
  function prefetch(imports: readonly string[], from: string): void {
    for (const specifier of imports) {
      const isRelative = /^\.{0,2}\//.test(specifier) && !from.startsWith('file:');
      if (!isRelative && !/^https?:/.test(specifier)) continue;
      fetchModule(new URL(specifier, from).href).catch(() => {});
    }
  }

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

  function findFile({ specifier, written = specifier, from, missing }: RequestOf<'find'>): ModuleReply {
    if (specifier === entry.url || missing === entry.url) return { kind: 'url', url: entry.url };
    const importer = from?.startsWith('file:') ? fileURLToPath(from) : entryPath;
    const bases = basesOf(specifier, importer, missing);
    const found = bases.flatMap(candidates).find(isPlainFile);
    // With another query, Node loads the module once more.
    const [query = ''] = /\?[^#]*/.exec(missing ?? specifier) ?? [];
    if (found !== undefined) return { kind: 'url', url: pathToFileURL(found).href + query };
    for (const base of bases) onFile(base);
    const missingImport = { specifier, written, from: from ?? entry.url, isMapped: bases.length > 0 };
    missingImports.push(missingImport);
    if (isOfOtherRuntime(specifier)) throw importFailure(missingImport, sources.get(missingImport.from));
    return { kind: 'url', url: undefined };
  }

  function basesOf(specifier: string, importer: string, missing: string | undefined): string[] {
    if (missing?.startsWith('file:')) return [fileURLToPath(missing)];
    if (specifier.startsWith('file:')) return [fileURLToPath(specifier)];
    if (/^\.{1,2}(?:\/|$)|^\//.test(specifier))
      return [join(specifier.startsWith('/') ? '' : dirname(importer), specifier)];
    return tsconfigs.pathsFor(specifier, importer);
  }

  return {
    entry: transpiledEntry,
    async answer(request) {
      try {
        switch (request.kind) {
          case 'used':
            onFile(fileURLToPath(request.url));
            return undefined;
          case 'load':
            return await load(request.url, request.code);
          case 'find':
            return findFile(request);
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
    val: entry.isFile ? { val: entry.name } : {},
    looksLikeHttp: () =>
      /\bRequest\b|^export default \w+\.fetch\b|\breq(?:uest)?\.(?:url|method|headers|json|text|formData)\b/m.test(
        entry.code,
      ),
    failure: (message) => failures.find((failure) => failure.message === message),
  };
}

const sourceEndings: Record<string, string[]> = {
  '.js': ['.ts', '.tsx'],
  '.jsx': ['.tsx'],
  '.mjs': ['.mts'],
  '.cjs': ['.cts'],
};
const endings = ['.ts', '.tsx', '.mts', '.cts', '.js', '.jsx', '.mjs', '.cjs', '.json'];

function candidates(path: string): string[] {
  const ending = extname(path);
  const stem = path.slice(0, path.length - ending.length);
  return [
    path,
    ...(sourceEndings[ending] ?? []).map((other) => stem + other),
    ...endings.map((added) => path + added),
    ...mainOf(path),
    ...endings.map((added) => join(path, `index${added}`)),
  ];
}

/** Some packages have folders with a package.json of their own, as `fp-ts/function`. */
function mainOf(folder: string): string[] {
  const { main } = readPackage(join(folder, 'package.json'));
  return typeof main === 'string' ? [join(folder, main), `${join(folder, main)}.js`] : [];
}

function readPackage(file: string): JsonObject {
  try {
    const found: unknown = JSON.parse(readFileSync(file, 'utf8'));
    return isObject(found) ? found : {};
  } catch {
    return {};
  }
}

const isPlainFile = (path: string): boolean => existsSync(path) && statSync(path).isFile();

function formatOf(path: string, syntax: Transpiled['syntax']): 'module' | 'commonjs' {
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
