// What the imports of a val lead to: its own files are read and transpiled here, all else is Node's.
import { existsSync, statSync } from 'node:fs';
import { basename, dirname, extname, join } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { RunFailedError } from '../errors.ts';
import { foldersAbove } from '../lib/folders-above.ts';
import { NotPlainFile, readPlainFile } from '../lib/plain-file.ts';
import type { ModuleAnswer } from './protocol.ts';
import { type Place, placeInSource, type Source, SyntaxProblem, transpile } from './transpile.ts';

export type Runtime = 'node' | 'deno';

/** The code to run: a file's, or a val's of the service, which has no files beside it. */
export interface Entry extends Source {
  /** Undefined for a val of the service. */
  path: string | undefined;
  /** A file, which need not be there, from whose folder packages are looked for. */
  packagesFrom: string;
  /** Deno loads TypeScript, and what it imports, by itself. */
  runtime: Runtime;
}

export interface Sources {
  entry(): ModuleAnswer;
  answer(specifier: string, from: string): ModuleAnswer;
  /** By the id that its module has. */
  find(id: string): Source | undefined;
  /** As a person writes it; undefined where it is not in the val's code. */
  place(id: string, place: Place): string | undefined;
  /** Whether there is a package of this name where the importer would find it. */
  isInstalled(name: string, from: string): boolean;
  failure(number: number): RunFailedError | undefined;
}

const codeFile = /\.(?:ts|tsx|mts|js|jsx|mjs)$/;
const largestFile = 16 * 1_048_576;

/** TypeScript's habit: the name that the file will have once it is compiled. */
const sourceEndings: Record<string, string[]> = {
  '.js': ['.ts', '.tsx'],
  '.jsx': ['.tsx'],
  '.mjs': ['.mts'],
};
const endings = ['.ts', '.tsx', '.mts', '.js', '.jsx', '.mjs'];

/** Tells of each file before it is read, or when it was looked for in vain. */
export function createSources(main: Entry, onFile: (path: string) => void): Sources {
  const mainId = main.path === undefined ? `val:${main.name}` : pathToFileURL(main.path).href;
  const known = new Map<string, Source>([[mainId, main]]);
  const failures: RunFailedError[] = [];
  const made = new Map<string, ModuleAnswer>();

  function code(id: string, source: Source, path: string | undefined): ModuleAnswer {
    known.set(id, source);
    const packagesFrom = path ?? main.packagesFrom;
    try {
      return { id, code: transpile(source), path, packagesFrom };
    } catch (error) {
      if (!(error instanceof SyntaxProblem)) throw error;
      throw syntaxError(source, error.message, error.place);
    }
  }

  function file(path: string, specifier: string, importer: Source): ModuleAnswer {
    const found = findFile(path);
    onFile(found ?? path);
    if (found === undefined) {
      throw new RunFailedError(
        `${importer.name} imports ${specifier}, and there is no such file${placeOf(specifier, importer)}.`,
        { hint: `Looked for ${path}.` },
      );
    }
    const url = pathToFileURL(found).href;
    if (!codeFile.test(found)) {
      return { native: url, json: extname(found) === '.json', packagesFrom: main.packagesFrom };
    }
    const answer = made.get(url) ?? code(url, { name: nameFor(found, main), code: read(found) }, found);
    made.set(url, answer);
    return answer;
  }

  const baseOf = (id: string) => (id.startsWith('file:') ? fileURLToPath(id) : main.packagesFrom);

  function resolve(specifier: string, from: string): ModuleAnswer {
    const importer = known.get(from) ?? main;
    const packagesFrom = baseOf(from);
    if (/^https?:|^jsr:/.test(specifier)) throw remoteImport(specifier, importer);
    if (/^\.{0,2}\//.test(specifier) || specifier.startsWith('file:')) {
      if (!from.startsWith('file:') && specifier.startsWith('.')) throw nothingBeside(specifier, importer);
      const url = new URL(specifier, from.startsWith('file:') ? from : pathToFileURL(packagesFrom));
      return file(fileURLToPath(url), specifier, importer);
    }
    const { name, below } = packageOf(specifier);
    return { native: specifier.startsWith('npm:') ? name + below : specifier, json: false, packagesFrom };
  }

  const nativeId =
    main.path === undefined
      ? `data:application/typescript;base64,${Buffer.from(main.code).toString('base64')}`
      : mainId;
  const native = () => ({ native: nativeId, json: false, packagesFrom: main.packagesFrom });

  function nativePlace(id: string, at: Place): string | undefined {
    if (id === nativeId) return written(main.name, at);
    return id.startsWith('file:') && !id.includes('/node_modules/') && !id.endsWith(nativeProgram)
      ? written(nameFor(fileURLToPath(id), main), at)
      : undefined;
  }

  function guarded(what: string, make: () => ModuleAnswer): ModuleAnswer {
    try {
      return make();
    } catch (error) {
      const failure =
        error instanceof RunFailedError
          ? error
          : new RunFailedError(`${what} cannot be loaded: ${(error as Error).message}.`, { cause: error });
      failures.push(failure);
      return { failure: failures.length - 1, message: failure.message };
    }
  }

  return {
    entry: () =>
      main.runtime === 'deno' ? native() : guarded(main.name, () => code(mainId, main, main.path)),
    place(id, at) {
      const source = known.get(id);
      if (main.runtime === 'deno') return nativePlace(id, at);
      return source && written(source.name, placeInSource(source, at));
    },
    answer: (specifier, from) => guarded(specifier, () => resolve(specifier, from)),
    find: (id) => known.get(id),
    isInstalled: (name, from) =>
      foldersAbove(baseOf(from)).some((folder) => existsSync(join(folder, 'node_modules', name))),
    failure: (number) => failures[number],
  };
}

const written = (name: string, { line, column }: Place): string => `${name}:${line}:${column}`;
const nativeProgram = '/run/child.cjs';

/** The file itself, or the one that is meant where an ending is left out or is that of compiled code. */
function findFile(path: string): string | undefined {
  const ending = extname(path);
  const stem = path.slice(0, path.length - ending.length);
  return [
    path,
    ...(sourceEndings[ending] ?? []).map((other) => stem + other),
    ...endings.map((added) => path + added),
    ...endings.map((added) => join(path, `index${added}`)),
  ].find((candidate) => existsSync(candidate) && !statSync(candidate).isDirectory());
}

function read(path: string): string {
  try {
    return readPlainFile(path, { mostBytes: largestFile, followLinks: true }).toString();
  } catch (error) {
    const problem =
      error instanceof NotPlainFile ? error.problem : `cannot be read: ${(error as Error).message}`;
    throw new RunFailedError(`${path} ${problem}.`, { hint: 'Mend that, then run it again.', cause: error });
  }
}

/** As a person at this place would write it. */
function nameFor(path: string, main: Entry): string {
  const folder = main.path === undefined ? undefined : dirname(main.path);
  const shown = main.name.slice(0, main.name.length - basename(main.name).length);
  return folder !== undefined && path.startsWith(`${folder}/`) ? shown + path.slice(folder.length + 1) : path;
}

/** Of `npm:@scope/name@1.2.3/sub` and of `@scope/name/sub`: the package's name, its version, and what is below. */
export function packageOf(specifier: string): { name: string; version: string; below: string } {
  const match = /^(?:npm:\/?)?((?:@[^/]+\/)?[^/@]+)(@[^/]*)?(\/.*)?$/.exec(specifier);
  return { name: match?.[1] ?? specifier, version: match?.[2] ?? '', below: match?.[3] ?? '' };
}

/** Where the source says so, in brackets; nothing where it does not, as for what JSX imports. */
export function placeOf(specifier: string, { name, code }: Source): string {
  const quoted = [`'${specifier}'`, `"${specifier}"`].map((text) => code.indexOf(text));
  const at = quoted.find((index) => index !== -1);
  if (at === undefined) return '';
  const before = code.slice(0, at).split('\n');
  return ` (${name}:${before.length}:${(before.at(-1) ?? '').length + 1})`;
}

export function syntaxError(
  { name }: Source,
  message: string,
  place: { line: number; column: number } | undefined,
) {
  const at = place === undefined ? name : `${name}:${place.line}:${place.column}`;
  return new RunFailedError(`${at} has a syntax error: ${message.replace(/[.]$/, '')}.`, {
    hint: 'Mend it, then run it again.',
  });
}

function remoteImport(specifier: string, importer: Source): RunFailedError {
  return new RunFailedError(
    `${importer.name} imports ${specifier}, which Node does not load${placeOf(specifier, importer)}.`,
    {
      hint: 'Install the package (`npm install <name>`) and import it by its name, or run the val with Deno where that is installed: --runtime deno.',
    },
  );
}

function nothingBeside(specifier: string, importer: Source): RunFailedError {
  return new RunFailedError(
    `${importer.name} imports ${specifier}, and a val of the service has no files beside it${placeOf(specifier, importer)}.`,
    { hint: 'Run its file instead: in a workspace, `vals pull` brings it here.' },
  );
}
