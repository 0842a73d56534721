import { type Dirent, readdirSync, realpathSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { LocalError } from '../errors.ts';
import { foldersAbove, isFile, isWithin } from '../lib/paths.ts';
import { shell } from '../lib/shell-command.ts';

export function readablePackages(packagesFrom: string): string[] {
  const folder = dirname(packagesFrom);
  // The real path is searched too, because `folder` may contain a link, such as /tmp on macOS.
  const projects = [folder, targetOf(folder) ?? folder].flatMap((path) => foldersAbove(join(path, 'file')));
  const paths = projects.flatMap((project) => {
    const packages = join(project, 'node_modules');
    // package.json must be readable, because Node reads package.json to tell ES modules from CommonJS.
    return [packages, join(project, 'package.json'), ...linkedPackages(project, packages)];
  });
  return [...new Set(paths)];
}

function linkedPackages(project: string, packages: string): string[] {
  return packageEntries(packages).flatMap((path) => {
    const target = targetOf(path);
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

// A path with * must be refused, because Node's permission model takes `/a/*/node_modules` as everything in `/a`.
export function refuseStars(readable: readonly string[], name: string): void {
  const path = readable.find((path) => path.includes('*'));
  if (path === undefined) return;
  throw new LocalError(`${dirname(path)} has * in its path, so Node cannot limit what the val reads.`, {
    hint: `Rename the folder, or let the val do everything that your user account can do: ${shell`vals run --allow-all ${name}`}.`,
  });
}

/** A link must not lead out of the readable paths, because Node's permission model follows links. */
export function refuseLinksOut(readable: readonly string[], name: string): void {
  const real = readable.map((path) => join(targetOf(dirname(path)) ?? dirname(path), basename(path)));
  for (const path of new Set(real)) {
    for (const link of linksIn(path)) {
      const target = targetOf(link);
      if (target === undefined || real.some((other) => isWithin(other, target))) continue;
      throw new LocalError(`${link} is a link that leads to ${target}, which the val may not read.`, {
        hint: `Remove the link. To let the val do everything that you can do, run ${shell`vals run --allow-all ${name}`}.`,
      });
    }
  }
}

function* linksIn(path: string): Generator<string> {
  const target = targetOf(path);
  if (target !== undefined && target !== path) return yield path;
  const folders = [path];
  for (let folder = folders.pop(); folder !== undefined; folder = folders.pop()) {
    for (const entry of entriesOf(folder)) {
      const found = join(folder, entry.name);
      if (entry.isSymbolicLink()) yield found;
      else if (entry.isDirectory()) folders.push(found);
    }
  }
}

function entriesOf(folder: string): Dirent[] {
  try {
    return readdirSync(folder, { withFileTypes: true });
  } catch {
    return [];
  }
}

function targetOf(path: string): string | undefined {
  try {
    return realpathSync.native(path);
  } catch {
    return undefined;
  }
}
