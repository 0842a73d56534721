// From paths to the vals they hold: a file is one, a folder as many as it has code files.
import { type Dirent, existsSync, readdirSync, readFileSync } from 'node:fs';
import { stat } from 'node:fs/promises';
import { basename, dirname, extname, join, relative, resolve, sep } from 'node:path';
import ignore, { type Ignore } from 'ignore';
import { UsageError } from '../../errors.ts';
import { interruptible } from '../../lib/signals.ts';
import { fileError } from './read-text.ts';

/** A file, and the name of the val it is. */
export interface Source {
  file: string;
  name: string;
}

const codeExtensions = new Set(['.ts', '.tsx', '.mts', '.js', '.jsx', '.mjs']);
const declaration = /\.d\.m?ts$/;
const ignoreFiles = ['.gitignore', '.valsignore'];

/** The files that the paths hold, each once. */
export async function collectFiles(
  paths: readonly string[],
  warn: (message: string) => void,
): Promise<string[]> {
  let files: string[] = [];
  for (const path of paths) {
    if (path === '-') files.push(path);
    else if (await isDirectory(path)) files = files.concat(await codeFilesBelow(path, warn));
    else files.push(path);
  }
  // One folder has no file twice.
  if (paths.length === 1) return files;
  return [...new Map(files.map((file) => [resolve(file), file])).values()];
}

/** A file that nothing else is known of is the val that has its name without the extension. */
export const nameFrom = (file: string): string => basename(file, extname(file));

export function refuseTwins(sources: readonly Source[]): void {
  const byName = new Map<string, string>();
  for (const { file, name } of sources) {
    const twin = byName.get(name);
    if (twin !== undefined) {
      throw new UsageError(`${twin} and ${file} would both be the val "${name}".`, {
        hint: 'Rename one of them, or push one alone with --name.',
      });
    }
    byName.set(name, file);
  }
}

/** What cannot be looked at is left to the reading, which says why. */
const isDirectory = (path: string): Promise<boolean> =>
  stat(path).then(
    (stats) => stats.isDirectory(),
    () => false,
  );

/** Every code file below a folder, except what its ignore files name; there may be none. */
export const walkFolder = (folder: string, warn: (message: string) => void): Promise<string[]> =>
  interruptible(() => walk(folder, rulesAbove(resolve(folder)), warn));

async function codeFilesBelow(folder: string, warn: (message: string) => void): Promise<string[]> {
  const found = await walkFolder(folder, warn);
  if (found.length === 0) {
    throw new UsageError(`${folder} has no code files.`, {
      hint: `A folder gives its ${[...codeExtensions].join(' ')} files; name others one by one.`,
    });
  }
  return found;
}

/** Whether the walk of a folder would pass over a path below it, for those who do not walk. */
export function createFilter(root: string): (path: string, isFolder: boolean) => boolean {
  const known = new Map<string, readonly Rules[]>([[root, [...rulesAbove(root), ...rulesIn(root)]]]);
  const rulesOf = (folder: string): readonly Rules[] => {
    const rules = known.get(folder) ?? [...rulesOf(dirname(folder)), ...rulesIn(folder)];
    known.set(folder, rules);
    return rules;
  };
  return (path, isFolder) => {
    if (path === root) return false;
    if (isFolder ? isHidden(basename(path)) : !isCode(path)) return true;
    return isIgnored(path, isFolder, rulesOf(dirname(path)));
  };
}

const isHidden = (folder: string): boolean => folder.startsWith('.') || folder === 'node_modules';

const isCode = (file: string): boolean => codeExtensions.has(extname(file)) && !declaration.test(file);

/** The rules of one folder's ignore files, which speak of paths below it. */
interface Rules {
  folder: string;
  matcher: Ignore;
}

function walk(folder: string, inherited: readonly Rules[], warn: (message: string) => void): string[] {
  const rules = [...inherited, ...rulesIn(resolve(folder))];
  const files: string[] = [];
  let entries: Dirent[];
  try {
    entries = readdirSync(folder, { withFileTypes: true });
  } catch (error) {
    throw fileError(folder, error);
  }
  entries.sort((a, b) => (a.name < b.name ? -1 : 1));
  for (const entry of entries) {
    const path = join(folder, entry.name);
    if (entry.isDirectory()) {
      if (!isHidden(entry.name) && !isIgnored(path, true, rules))
        for (const file of walk(path, rules, warn)) files.push(file);
    } else if (isCode(entry.name)) {
      if (isIgnored(path, false, rules)) continue;
      if (entry.isFile()) files.push(path);
      // A link may lead anywhere, to a secret or in a circle.
      else warn(`${path} is not a plain file; name it to push it.`);
    }
  }
  return files;
}

function rulesIn(folder: string): Rules[] {
  return ignoreFiles
    .map((name) => join(folder, name))
    .filter((file) => existsSync(file))
    .map((file) => {
      try {
        return { folder, matcher: ignore({ ignorecase: false }).add(readFileSync(file, 'utf8')) };
      } catch (error) {
        throw fileError(file, error);
      }
    });
}

/** As in git, the rules of the folders above count too, up to the top of the repository. */
function rulesAbove(folder: string): Rules[] {
  const above: Rules[] = [];
  let here = folder;
  while (!existsSync(join(here, '.git'))) {
    const parent = dirname(here);
    if (parent === here) return [];
    here = parent;
    above.unshift(...rulesIn(here));
  }
  return above;
}

function isIgnored(path: string, isFolder: boolean, rules: readonly Rules[]): boolean {
  let ignored = false;
  for (const { folder, matcher } of rules) {
    const below = relative(folder, path).split(sep).join('/');
    const verdict = matcher.test(isFolder ? `${below}/` : below);
    if (verdict.ignored) ignored = true;
    else if (verdict.unignored) ignored = false;
  }
  return ignored;
}
