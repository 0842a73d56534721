// A workspace is a folder with a vals.json. Finds the workspace of a path, and how a path is typed and shown.
import { basename, dirname, isAbsolute, join, relative, resolve } from 'node:path';
import type { Context } from '../core/command-line/command.ts';
import { LocalError, UsageError } from '../core/errors.ts';
import { stampOf } from '../core/files/files.ts';
import { findRoot, manifestFile } from '../core/files/root.ts';
import { listed, sh } from '../core/lib/hint.ts';
import { existingStats, isWithin, realPath, spelledAsOnDisk, withSlashes } from '../core/lib/paths.ts';
import type { Settings } from '../core/settings/settings.ts';
import { type DataFolder, openDataFolder } from './data/data-folder.ts';
import { fold } from './disk/write-files.ts';
import { repositoryOf } from './git/repository.ts';
import { chosenService, embeddedService, type Manifest, readManifest, serviceName } from './manifest.ts';

export type WorkspaceContext = Pick<Context, 'host' | 'settings'>;

/** A folder with a vals.json. Every file in it that a push of the folder takes is a val. */
export interface Workspace {
  root: string;
  cwd: string;
  env: NodeJS.ProcessEnv;
  platform: NodeJS.Platform;
  /** vals.json as it is now. */
  readonly manifest: Manifest;
  /** Throws if no service is chosen. */
  readonly service: string;
  dataFolder: DataFolder;
}

export type Location = Pick<Workspace, 'root' | 'cwd'>;

export function workspaceAt(
  root: string,
  context: WorkspaceContext,
  cwd: string = context.settings.cwd,
): Workspace {
  const {
    settings,
    host: { env },
  } = context;
  const dataFolder = openDataFolder(settings, root);
  let known: { stamp: string | undefined; manifest: Manifest } | undefined;
  return {
    root,
    cwd,
    env,
    platform: settings.system.platform,
    dataFolder,
    get manifest() {
      const stamp = stampOf(root, manifestFile);
      if (known === undefined || known.stamp !== stamp) known = { stamp, manifest: readManifest(root) };
      return known.manifest;
    },
    get service() {
      return chosenService(settings) ?? refuseWithoutService(settings, this.manifest);
    },
  };
}

/** On a new machine, vals.json tells where to sign in. */
function refuseWithoutService(settings: Settings, { services: [service] }: Manifest): string {
  if (service === undefined) return serviceName(settings);
  throw new UsageError(`No service is chosen, and these vals belong to ${service}.`, {
    hint: sh`To sign in, run ${['login', service]}.`,
  });
}

/** The path of a file of the workspace as a person would type it, relative to the current folder. */
export const pathTo = ({ root, cwd }: Location, file: string): string =>
  root === cwd ? file : withSlashes(relative(realPath(cwd), join(realPath(root), file)));

/** False if the command was typed elsewhere, where a command without a path means another workspace or none. */
export function isTypedInside({ root, cwd }: Location): boolean {
  const here = root === cwd ? root : findRoot(cwd);
  return here !== undefined && realPath(here) === realPath(root);
}

export function relativeTo({ root, cwd }: Location, path: string): string {
  const target = resolve(cwd, path);
  if (isWithin(root, target)) return withSlashes(relative(root, target));
  // The real paths are compared, because a path may contain a link, such as /tmp on macOS.
  const realRoot = realPath(root);
  const realTarget = join(realPath(dirname(target)), basename(target));
  if (isWithin(realRoot, realTarget)) return withSlashes(relative(realRoot, realTarget));
  return withSlashes(relative(root, target));
}

/**
 * The file or folder of the workspace that a path means. Some systems take several spellings for one file, such as Hello.ts for
 * hello.ts. The one on the disk counts.
 */
export function fileAt(workspace: Workspace, path: string): string {
  const target = spelledAsOnDisk(resolve(workspace.cwd, path), workspace.platform);
  const file = relativeTo(workspace, target);
  const onDisk = relativeTo(workspace, realPath(target));
  return fold(onDisk) === fold(file) ? onDisk : file;
}

function pathBelowRoot(location: Location, path: string): string | undefined {
  const below = relativeTo(location, path);
  const isOutside = below === '..' || below.startsWith('../') || isAbsolute(below);
  return isOutside ? undefined : below;
}

export const nameOfService = (service: string): string =>
  service === embeddedService ? 'the embedded service' : service;

export interface PathInWorkspace {
  workspace: Workspace;
  /** Relative to the root of the workspace, and empty for the root itself. */
  file: string;
}

/** The workspaces that a command uses. Each is opened once, so that all its files share one view of vals.json. */
export interface Workspaces {
  /** A path belongs to the workspace whose vals.json is the nearest above the path, whatever the current folder is. */
  placeOf(path: string): PathInWorkspace | undefined;
  /** The workspace of the current folder. */
  here(): Workspace | undefined;
  /** Throws if the path is behind another .git below the current workspace: that repository may be somebody else's. */
  refuseOtherRepository(path: string): void;
}

export function createWorkspaces(context: WorkspaceContext): Workspaces {
  const { cwd } = context.settings;
  /** An agent uses no workspace beyond its own folder. */
  const { agent } = context.host;
  const roots = new Map<string, string | undefined>();
  const opened = new Map<string, Workspace>();

  function rootOf(folder: string): string | undefined {
    if (!roots.has(folder)) roots.set(folder, findRoot(folder));
    return roots.get(folder);
  }

  function workspaceOf(folder: string): Workspace | undefined {
    const root = rootOf(folder);
    if (root === undefined) return undefined;
    if (agent !== undefined && !agent.filesBelow.some((folder) => isWithin(folder, root))) return undefined;
    // One folder may be reached by several paths, through links.
    const key = realPath(root);
    const workspace = opened.get(key) ?? workspaceAt(root, context);
    opened.set(key, workspace);
    return workspace;
  }

  const folderOf = (target: string) => (existingStats(target)?.isDirectory() ? target : dirname(target));
  const here = () => workspaceOf(cwd);

  return {
    placeOf(path) {
      const workspace = workspaceOf(folderOf(resolve(cwd, path)));
      return workspace && { workspace, file: fileAt(workspace, path) };
    },
    here,
    refuseOtherRepository(path) {
      const workspace = here();
      if (workspace === undefined || pathBelowRoot(workspace, path) === undefined) return;
      const above = (folder: string) => realPath(repositoryOf(folder) ?? '/');
      if (above(folderOf(resolve(cwd, path))) !== above(workspace.root)) throw inOtherRepository(path);
    },
  };
}

/** The workspace that all these paths are in. Undefined if they are in none. */
export function oneWorkspace(
  paths: readonly { path: string; place: PathInWorkspace | undefined }[],
): Workspace | undefined {
  const firstIn = new Map(paths.toReversed().map(({ path, place }) => [place?.workspace, path]));
  if (firstIn.size < 2) return paths[0]?.place?.workspace;
  const each = [...firstIn].map(([workspace, path]) => `${path} is in ${workspace?.root ?? 'no workspace'}`);
  throw new UsageError(`The files belong to several places: ${listed(each)}.`, {
    hint: 'Run the command once for each of them.',
  });
}

const inOtherRepository = (path: string): LocalError =>
  new LocalError(`${path} was not used, because it is in another repository.`, {
    hint: 'Go to the folder of that repository, and run the command there.',
  });

export function refuseNested(folder: string): void {
  const root = findRoot(folder);
  if (root === undefined || root === folder) return;
  throw new UsageError(`This folder is already in a workspace: ${root}.`, {
    hint: [
      'Run the command outside of that workspace.',
      sh`To add all your vals to that workspace, run ${['pull', '--all']}.`,
    ],
  });
}
