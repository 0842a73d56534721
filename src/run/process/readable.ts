// What a val may read: paths that vals found itself. No name from a service and no link of a repository adds to them.
import { dirname, join, relative, sep } from 'node:path';
import { foldersAbove, isWithin, realPath } from '../../core/lib/paths.ts';
import { homeDirectory } from '../../core/lib/system.ts';
import type { Settings } from '../../core/settings/settings.ts';
import { type RunTarget, realModule } from '../target.ts';

export interface Readable {
  /** What Node lets the val read. */
  paths: readonly string[];
  /** The val may import the file, even if its project is too wide for Node. `path` is behind all links. */
  isBesideVal(path: string): boolean;
}

export function readableBy(target: RunTarget, settings: Settings): Readable {
  const ownFolders = [settings.configDirectory, settings.dataDirectory].flatMap((folder) =>
    // The config file may be a link into a folder of dotfiles.
    folder === undefined ? [] : [realPath(folder.value), realPath(join(folder.value, 'config.json'))],
  );
  const kept = [...[homeDirectory()].filter(Boolean).map(realPath), ...ownFolders];
  /** It is part of vals's own config or data, which holds the token. */
  const isOfVals = (path: string) => ownFolders.some((own) => isWithin(own, realPath(path)));
  // Such a folder would be everything that the person has. Node takes an asterisk for any name.
  const isTooWide = (path: string) =>
    isOfVals(path) || kept.some((folder) => isWithin(realPath(path), folder)) || path.includes('*');
  const code = target.kind === 'file' ? [target.path, target.project, target.realProject] : [];
  const places = [target.path, realPath(target.path)].flatMap(foldersAbove);
  // Node reads package.json to tell ES modules from CommonJS. Older Nodes need permission for what does not exist, too.
  const packages = places.flatMap((folder) => [join(folder, 'node_modules'), join(folder, 'package.json')]);
  const found = [...code, ...packages].flatMap((path) => [path, realPath(path)]);
  const folder = dirname(realModule(target.path, settings.system.platform));
  return {
    paths: [...new Set(found)].filter((path) => !isTooWide(path)),
    isBesideVal: (path) =>
      target.kind === 'file' &&
      isWithin(folder, path) &&
      !isHidden(relative(folder, path)) &&
      !isOfVals(path),
  };
}

/** In a home folder, such folders hold the settings of other programs. */
const isHidden = (path: string): boolean => path.split(sep).some((name) => name.startsWith('.'));
