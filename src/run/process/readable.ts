// What a val may read: paths that vals found itself. No name from a service and no link of a repository adds to them.
import { homedir } from 'node:os';
import { dirname, join, relative } from 'node:path';
import { foldersAbove, isWithin, readableNames, realPath } from '../../core/lib/paths.ts';
import type { Settings } from '../../core/settings/settings.ts';
import type { RunTarget } from '../target.ts';
import { packagePaths } from './packages.ts';

export interface Readable {
  paths: readonly string[];
  /** It is part of vals's own config or data, which holds the token. */
  isOfVals(path: string): boolean;
  /** A link on the way to it leads out of the project, and vals itself does not follow the link. */
  leadsOut(path: string): boolean;
}

export function readableBy(target: RunTarget, settings: Settings): Readable {
  const { configDirectory, dataDirectory } = settings;
  const ownFolders = [configDirectory, dataDirectory].flatMap((folder) =>
    // The config file may be a link into a folder of dotfiles.
    folder === undefined ? [] : [realPath(folder.value), realPath(join(folder.value, 'config.json'))],
  );
  const home = realPath(homedir());
  const isOfVals = (path: string) => ownFolders.some((own) => isWithin(own, realPath(path)));
  const projects = target.kind === 'file' ? [target.project, target.realProject] : [settings.cwd];
  const realProjects = projects.map(realPath);
  // As a project or a package, such a folder would be everything that the person has.
  const isTooWide = (folder: string) =>
    isOfVals(folder) || [home, ...ownFolders].some((own) => isWithin(realPath(folder), own));
  /** Somebody may keep vals's data in node_modules/.cache. */
  const withoutOwn = (folder: string) =>
    isTooWide(folder)
      ? readableNames(folder).flatMap((name) => (isTooWide(join(folder, name)) ? [] : join(folder, name)))
      : [folder];
  const isAboveProject = (folder: string) => realProjects.some((project) => isWithin(folder, project));
  const code = target.kind === 'file' ? [target.path, realPath(target.path)] : [];
  const ownProjects = target.kind === 'file' ? projects.filter((folder) => !isTooWide(folder)) : [];
  const folders = new Set([target.path, ...code].map((path) => dirname(path)));
  const paths = [
    ...code,
    ...ownProjects.flatMap((folder) => [folder, realPath(folder)]),
    ...[...folders].flatMap((folder) =>
      packagePaths(folder, (found) => !isTooWide(found) && !isAboveProject(found)).flatMap(withoutOwn),
    ),
    // Node takes an asterisk for any name.
  ].filter((path) => !path.includes('*'));

  return {
    paths: [...new Set(paths)],
    isOfVals,
    leadsOut(path) {
      const [project = settings.cwd] = projects;
      const shared = foldersAbove(join(project, 'file')).find((folder) => isWithin(folder, path)) ?? path;
      const real = realPath(path);
      if (real === join(realPath(shared), relative(shared, path))) return false;
      return isOfVals(real) || ![...realProjects, ...paths].some((folder) => isWithin(folder, real));
    },
  };
}
