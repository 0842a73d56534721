import { type Dirent, lstatSync, readdirSync, readlinkSync, statSync } from 'node:fs';
import { basename, dirname, join, resolve } from 'node:path';
import { LocalError } from '../errors.ts';
import { existingRealPath, foldersAbove, isFile, isWithin, realPath } from '../lib/paths.ts';
import { errnoOf } from '../lib/system.ts';

export function readablePackages(packagesFrom: string): string[] {
  const folder = dirname(packagesFrom);
  // The real path is searched too, because `folder` may contain a link, such as /tmp on macOS.
  const projects = [folder, realPath(folder)].flatMap((path) => foldersAbove(join(path, 'file')));
  const paths = projects.flatMap((project) => {
    const packages = join(project, 'node_modules');
    // package.json must be readable, because Node reads package.json to tell ES modules from CommonJS.
    const own = [packages, join(project, 'package.json')].filter((path) => !canOthersMake(path));
    return own.includes(packages) ? [...own, ...linkedPackages(project, packages)] : own;
  });
  return [...new Set(paths)];
}

/**
 * In a folder such as /tmp, other users can make `node_modules`, and put links into it while the val runs. Files of
 * root and of the current user are trusted.
 */
export function canOthersMake(path: string): boolean {
  const writableByAll = 0o002;
  const mode = statSync(dirname(path), { throwIfNoEntry: false })?.mode ?? 0;
  if ((mode & writableByAll) === 0) return false;
  const owner = lstatSync(path, { throwIfNoEntry: false })?.uid;
  return owner !== 0 && owner !== process.geteuid?.();
}

function linkedPackages(project: string, packages: string): string[] {
  return packageEntries(packages).flatMap((path) => {
    const target = existingRealPath(path);
    const isInside = target !== undefined && target !== project && isWithin(project, target);
    return isInside && !isWithin(packages, target) && isFile(join(target, 'package.json')) ? target : [];
  });
}

function packageEntries(packages: string): string[] {
  return entriesOf(packages).flatMap((entry) => {
    const path = join(packages, entry.name);
    if (entry.isSymbolicLink()) return path;
    return entry.isDirectory() && entry.name.startsWith('@') ? packageEntries(path) : [];
  });
}

const orAllowAll = (remedy: string): string =>
  `${remedy} Or run \`vals run --allow-all <val>\`: then the val can do everything that you can do.`;

// For Node's permission model, `/a/*/node_modules` means everything in `/a`.
export function refuseStars(readable: readonly string[]): void {
  const path = readable.find((path) => path.includes('*'));
  if (path === undefined) return;
  throw new LocalError(`${dirname(path)} has * in its path, so Node cannot limit what the val reads.`, {
    hint: orAllowAll('Rename the folder.'),
  });
}

/**
 * If the packages `.env1`, `.env2` and `.env3` are readable, Node 20 also lets the val read the file `.env`. A folder
 * `.env` is not refused, because the val can only list the names in the folder.
 */
export function refuseCommonBeginnings(readable: readonly string[]): void {
  const sorted = [...readable].sort();
  for (const [index, path] of sorted.entries()) {
    const beginning = commonBeginning(path, sorted[index + 1] ?? '');
    if (!isFile(beginning) || sorted.some((folder) => isWithin(folder, beginning))) continue;
    throw new LocalError(
      `Node could let the val read the file ${beginning}, because the paths of several packages begin with the path of the file.`,
      { hint: orAllowAll('Rename the file.') },
    );
  }
}

function commonBeginning(path: string, other: string): string {
  let length = 0;
  while (length < path.length && path[length] === other[length]) length++;
  return path.slice(0, length);
}

/**
 * A link must not lead out of the readable paths, because Node's permission model follows links. A folder that vals
 * cannot read is refused too, because the folder may contain such a link.
 */
export function refuseLinksOut(readable: readonly string[]): void {
  const real = readable.map((path) => join(realPath(dirname(path)), basename(path)));
  for (const path of new Set(real)) {
    const problem = problemIn(path, real);
    if (problem === undefined) continue;
    throw new LocalError(problem.message, {
      hint: orAllowAll(problem.remedy),
    });
  }
}

interface Problem {
  message: string;
  remedy: string;
}

function problemIn(path: string, readable: readonly string[]): Problem | undefined {
  let found = path;
  try {
    const top = lstatSync(path);
    if (top.isSymbolicLink()) return problemOfLink(path, readable);
    const folders = top.isDirectory() ? [path] : [];
    for (let folder = folders.pop(); folder !== undefined; folder = folders.pop()) {
      found = folder;
      for (const entry of readdirSync(folder, { withFileTypes: true })) {
        if (!entry.isSymbolicLink() && !entry.isDirectory()) continue;
        found = join(folder, entry.name);
        if (entry.name.includes(replacementCharacter)) return notUtf8(found);
        if (entry.isDirectory()) folders.push(found);
        const problem = entry.isSymbolicLink() && problemOfLink(found, readable);
        if (problem) return problem;
      }
    }
    return undefined;
  } catch (error) {
    const code = errnoOf(error);
    if (found === path && (code === 'ENOENT' || code === 'ENOTDIR')) return undefined;
    return {
      message: `${found} cannot be read (${code}), so vals cannot check its links.`,
      remedy: `Remove ${found}, or make it readable.`,
    };
  }
}

const replacementCharacter = '\uFFFD';

const notUtf8 = (path: string): Problem => ({
  message: `${path} has a name that is not UTF-8, so vals cannot check its links.`,
  remedy: 'Rename or remove it.',
});

function problemOfLink(link: string, readable: readonly string[]): Problem | undefined {
  const target = existingRealPath(link) ?? targetOfBrokenLink(link);
  if (target !== undefined && readable.some((path) => isWithin(path, target))) return undefined;
  return {
    message: `${link} is a link that leads to ${target ?? readlinkSync(link)}, which the val is not allowed to read.`,
    remedy: 'Remove the link.',
  };
}

/** The target of a broken link must be checked too, because the missing file may appear while the val runs. */
function targetOfBrokenLink(link: string): string | undefined {
  const text = readlinkSync(link);
  const parts = text.split(/[\\/]/);
  const firstName = parts.findIndex((part) => !['', '.', '..'].includes(part));
  // In `a/../b`, `a` may be a link to another folder, so the text alone does not show where `..` leads.
  if (firstName !== -1 && parts.includes('..', firstName)) return undefined;
  return resolve(dirname(link), text);
}

function entriesOf(folder: string): Dirent[] {
  try {
    return readdirSync(folder, { withFileTypes: true });
  } catch {
    return [];
  }
}
