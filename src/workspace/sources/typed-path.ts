// Checks paths that the user typed, because a cloned repository may contain links to the user's secrets.
import { lstatSync } from 'node:fs';
import { dirname, relative } from 'node:path';
import { LocalError } from '../../errors.ts';
import { existingRealPath, foldersAbove, isFile, isWithin, realPath, withSlashes } from '../../lib/paths.ts';
import { quoteWord } from '../../lib/shell-command.ts';
import type { Settings } from '../../settings/settings.ts';
import { isProject } from '../disk/root.ts';
import { createIgnoreCheck, createIgnoreFiles } from './ignoring.ts';

export type PathSettings = Pick<Settings, 'cwd' | 'configDirectory' | 'dataDirectory'>;

export const tokenFolders = ({ configDirectory, dataDirectory }: PathSettings): string[] =>
  [configDirectory, dataDirectory].flatMap((folder) => folder?.value ?? []);

export function checkTypedPath(path: string, shownPath: string, settings: PathSettings): void {
  const target = existingRealPath(path);
  if (target !== undefined && isSecret(target, settings)) throw holdsSecrets(shownPath, target);
  const projects = projectsAround(path, settings.cwd);
  const leavesProject = projects.some(
    (project) => target === undefined || !isWithin(realPath(project), target),
  );
  if (leavesProject) throw leadsOut(path, shownPath, target, 'outside of this project');
  const link = firstLink(path, projects.at(-1));
  if (link === undefined || target === undefined) return;
  // Hidden and ignored files, such as .env and .git/config, may contain secrets.
  if (isHiddenBeside(link, target)) throw leadsOut(path, shownPath, target, 'hidden');
  const [nearest] = projects;
  if (nearest !== undefined && isIgnoredIn(realPath(nearest), target)) {
    throw leadsOut(path, shownPath, target, 'listed in an ignore file');
  }
}

/**
 * Returns outer projects too. If a folder in a cloned repository is a link to another project, the nearest project is
 * that other project.
 */
function projectsAround(path: string, cwd: string): string[] {
  const projects = foldersAbove(path).filter(isProject);
  if (projects.length > 0) return projects;
  if (isWithin(cwd, path)) return [cwd];
  const isStream = ['/dev/stdin', '/dev/fd', '/proc'].some((folder) => isWithin(folder, path));
  return isLink(path) && !isStream && isFile(path) ? [dirname(path)] : [];
}

const isLink = (path: string): boolean =>
  lstatSync(path, { throwIfNoEntry: false })?.isSymbolicLink() === true;

function firstLink(path: string, project: string | undefined): string | undefined {
  const isBelowProject = (folder: string) =>
    project !== undefined && folder !== project && isWithin(project, folder);
  return [path, ...foldersAbove(path).filter(isBelowProject)].findLast(isLink);
}

function isIgnoredIn(project: string, path: string): boolean {
  const below = withSlashes(relative(project, path));
  if (below === '') return false;
  const isIgnored = createIgnoreCheck(
    project,
    createIgnoreFiles(() => {}),
  );
  return isIgnored(isFile(path) ? below : `${below}/any`);
}

function isHiddenBeside(path: string, target: string): boolean {
  const names = withSlashes(relative(realPath(dirname(path)), target)).split('/');
  return names.some((name) => name.startsWith('.') && name !== '..');
}

function isSecret(target: string, settings: PathSettings): boolean {
  const folders = tokenFolders(settings)
    .map(realPath)
    .filter((folder) => !isWithin(folder, realPath(settings.cwd)));
  // A file such as /proc/self/environ may contain the token.
  return [...folders, '/proc'].some((folder) => isWithin(folder, target));
}

function leadsOut(
  path: string,
  shownPath: string,
  target: string | undefined,
  where: 'outside of this project' | 'hidden' | 'listed in an ignore file',
): LocalError {
  const verb = isLink(path) ? 'is a link' : 'leads through a link';
  const place = target === undefined ? 'a pipe or a deleted file' : target;
  return new LocalError(`${shownPath} ${verb} to ${place}, which is ${where}.`, {
    hint: `To use that file, give its own path${target === undefined ? '' : `: ${quoteWord(target)}`}.`,
  });
}

const holdsSecrets = (shownPath: string, target: string): LocalError =>
  new LocalError(`${shownPath} was not read, because ${target} may contain your token.`, {
    hint: 'Give a file outside of /proc and of the config and data folders of vals. To see these folders, run `vals config`.',
  });
