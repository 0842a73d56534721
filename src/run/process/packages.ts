import { type Dirent, readdirSync, readFileSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { isObject, type JsonObject } from '../../core/lib/json.ts';
import { existingRealPath, foldersAbove, isWithin, realPath } from '../../core/lib/paths.ts';

/**
 * The paths that Node reads to find and load the packages of the code in `folder`: the node_modules folders above it and
 * the folders that links in them lead to (workspaces, npm link, pnpm), unless `isPackage` refuses where a link leads.
 * Looks at the first level of node_modules only.
 */
export function packagePaths(folder: string, isPackage: (folder: string) => boolean): string[] {
  const found = new Set<string>();
  // Node follows a link to wherever it leads.
  const add = (path: string) => {
    const real = existingRealPath(path);
    if (real === undefined || !isLink(path, real) || isPackage(real)) found.add(path);
  };
  const visited = new Set<string>();
  // The real path is searched too, because `folder` may contain a link, such as /tmp on macOS.
  const waiting = [folder, realPath(folder)];
  for (let next = waiting.pop(); next !== undefined; next = waiting.pop()) {
    for (const above of foldersAbove(join(next, 'file'))) {
      if (visited.has(above)) break;
      visited.add(above);
      // Node reads package.json to tell ES modules from CommonJS.
      add(join(above, 'package.json'));
      const packages = join(above, 'node_modules');
      add(packages);
      const real = existingRealPath(packages);
      if (real === undefined || !isPackage(real)) continue;
      found.add(real);
      for (const target of linkTargets(packages).filter(isPackage)) {
        if ([...found].some((path) => isWithin(path, target))) continue;
        found.add(target);
        waiting.push(target);
      }
    }
  }
  return [...found];
}

const isLink = (path: string, real: string): boolean =>
  real !== join(realPath(dirname(path)), basename(path));

/** Where the links in a node_modules folder lead, and those in its scopes. */
function linkTargets(folder: string, isScope = false): string[] {
  return entriesOf(folder).flatMap((entry) => {
    const path = join(folder, entry.name);
    if (entry.isSymbolicLink()) return existingRealPath(path) ?? [];
    return !isScope && entry.name.startsWith('@') ? linkTargets(path, true) : [];
  });
}

function entriesOf(folder: string): Dirent[] {
  try {
    return readdirSync(folder, { withFileTypes: true });
  } catch {
    return [];
  }
}

/** Returns an empty object if there is no such file, or no object in it. */
export function readPackage(file: string): JsonObject {
  try {
    const found: unknown = JSON.parse(readFileSync(file, 'utf8'));
    return isObject(found) ? found : {};
  } catch {
    return {};
  }
}
