import { existsSync, realpathSync } from 'node:fs';
import { basename, dirname, extname, join, relative } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { RunFailedError, ValsError } from '../errors.ts';
import { foldersAbove, isWithin, realPath, withSlashes } from '../lib/paths.ts';
import {
  filePathOfImport,
  findFile,
  hiddenFile,
  type Importer,
  type ImportLimits,
  isHidden,
  mayImport,
  noSuchFile,
  outsideFolder,
  packageOf,
} from './imports.ts';
import { refuseLinksOut } from './packages.ts';
import type { ModuleAnswer } from './protocol.ts';
import { type FileInFolder, readImport } from './read-import.ts';
import { type Source, SyntaxProblem, transpile } from './transpile.ts';

export interface Entry extends Source {
  path: string | undefined;
  packagesFrom: string;
}

export interface SourceOptions {
  limits: ImportLimits | undefined;
  packages: readonly string[] | undefined;
  onFile(path: string): void;
}

export interface Sources {
  entry(): Promise<ModuleAnswer>;
  /** Returns undefined after too many failed imports. The caller must then end the val. */
  answer(specifier: string, from: string): Promise<ModuleAnswer | undefined>;
  find(moduleId: string): Source | undefined;
  isInstalled(packageName: string, from: string): boolean;
  failure(number: number): ValsError | undefined;
  stopTranspiling(): void;
}

const codeFile = /\.(?:ts|tsx|mts|js|jsx|mjs)$/;
// Without these limits, a hostile val could fill the memory of the parent process.
const mostFailures = 1_000;
/** Through links, one small file can have any number of paths, and each path counts as a file. */
const mostFiles = 5_000;
const mostCharacters = 64 * 1_048_576;

export function createSources(main: Entry, { limits, packages, onFile }: SourceOptions): Sources {
  const mainId = main.path === undefined ? `val:${main.name}` : pathToFileURL(main.path).href;
  const sources = new Map<string, Source>([[mainId, main]]);
  const failures: ValsError[] = [];
  const files = new Set<string>();
  let characters = main.code.length;
  const transpiling = new AbortController();
  const transpiled = new Map<string, Promise<ModuleAnswer>>();

  function load(id: string, source: Source, path: string | undefined): Promise<ModuleAnswer> {
    const known = transpiled.get(id);
    if (known !== undefined) return known;
    sources.set(id, source);
    const answer = transpile(source, transpiling.signal).then(
      ({ code, map }) => ({ id, code, map, ...(path !== undefined && { path }) }),
      (error) => {
        throw error instanceof SyntaxProblem ? syntaxError(source, error) : error;
      },
    );
    transpiled.set(id, answer);
    return answer;
  }

  async function loadMain(): Promise<ModuleAnswer> {
    const answer = load(mainId, main, main.path);
    // Without this handler, Node would report an unhandled rejection if both the links and the code are refused.
    answer.catch(() => {});
    if (packages !== undefined) refuseLinksOut(packages);
    return answer;
  }

  const packagesFrom = (id: string) =>
    sources.has(id) && id.startsWith('file:') ? fileURLToPath(id) : main.packagesFrom;

  async function answerImport(specifier: string, from: string): Promise<ModuleAnswer> {
    const importer = { id: from, source: sources.get(from) ?? main, packagesFrom: packagesFrom(from) };
    const path = filePathOfImport(specifier, importer);
    if (path !== undefined) return loadFile(path, specifier, importer);
    const { name, subpath } = packageOf(specifier);
    const native = specifier.startsWith('npm:') ? name + subpath : specifier;
    return { native, packagesFrom: importer.packagesFrom };
  }

  function checkImport(found: string, specifier: string, importer: Source): FileInFolder | undefined {
    if (limits === undefined) return undefined;
    const realFile = realpathSync.native(found);
    if (limits.folder === undefined || !mayImport(realFile, limits)) {
      throw outsideFolder(specifier, importer);
    }
    const folders = [limits.folder, main.path && dirname(main.path)].filter((folder) => folder !== undefined);
    if (isHidden(realFile, folders)) throw hiddenFile(specifier, importer);
    return { realFile, realFolder: realPath(limits.folder) };
  }

  function countFile(path: string): void {
    if (files.has(path)) return;
    if (files.size === mostFiles) throw tooManyFiles(main.name);
    files.add(path);
  }

  async function loadFile(
    path: string,
    specifier: string,
    { source: importer }: Importer,
  ): Promise<ModuleAnswer> {
    const found = findFile(path);
    if (found !== undefined) countFile(found);
    onFile(found ?? path);
    if (found === undefined) throw noSuchFile(specifier, importer, path);
    const checked = checkImport(found, specifier, importer);
    const id = pathToFileURL(found).href;
    if (extname(found) === '.json') return { id, json: readImport(found, checked) };
    if (!codeFile.test(found)) return { native: id, packagesFrom: main.packagesFrom };
    const known = transpiled.get(id);
    if (known !== undefined) return known;
    const code = readImport(found, checked);
    characters += code.length;
    if (characters > mostCharacters) throw tooMuchCode(main.name);
    return load(id, { name: nameFor(found, main), code }, found);
  }

  async function keepingFailure(what: string, answer: Promise<ModuleAnswer>): Promise<ModuleAnswer> {
    try {
      return await answer;
    } catch (error) {
      const failure =
        error instanceof ValsError
          ? error
          : new RunFailedError(`${what} cannot be loaded: ${(error as Error).message}`, { cause: error });
      const known = failures.findIndex(({ message }) => message === failure.message);
      const number = known === -1 ? failures.push(failure) - 1 : known;
      return { failure: number, message: failure.message };
    }
  }

  return {
    entry: () => keepingFailure(main.name, loadMain()),
    async answer(specifier, from) {
      if (failures.length === mostFailures) return undefined;
      return keepingFailure(specifier, answerImport(specifier, from));
    },
    find: (id) => sources.get(id),
    isInstalled: (name, from) =>
      foldersAbove(packagesFrom(from)).some((folder) => existsSync(join(folder, 'node_modules', name))),
    failure: (number) => failures[number],
    stopTranspiling: () => transpiling.abort(),
  };
}

function syntaxError({ name }: Source, { message, place }: SyntaxProblem): RunFailedError {
  const at = place === undefined ? name : `${name}:${place.line}:${place.column}`;
  return new RunFailedError(`${at} has a syntax error: ${message.replace(/[.]$/, '')}.`, {
    hint: 'Fix the code, then run the val again.',
  });
}

const tooMuchCode = (name: string): RunFailedError =>
  new RunFailedError(`${name} imports more than 64 MB of code.`, {
    hint: 'Move large data from the code to JSON files, or import less.',
  });

const tooManyFiles = (name: string): RunFailedError =>
  new RunFailedError(`${name} imports more than ${mostFiles.toLocaleString('en')} files.`, {
    hint: 'Join the code in fewer files. If the val imports a file through a link, import it by its real path.',
  });

function nameFor(path: string, main: Entry): string {
  const folder = main.path === undefined ? undefined : dirname(main.path);
  const shown = main.name.slice(0, main.name.length - basename(main.name).length);
  if (folder === undefined || !isWithin(folder, path)) return path;
  return shown + withSlashes(relative(folder, path));
}
