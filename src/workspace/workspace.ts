import { basename, dirname, isAbsolute, join, relative, resolve } from 'node:path';
import type { Context } from '../core/command-line/command.ts';
import { UsageError } from '../core/errors.ts';
import { stampOf } from '../core/files/files.ts';
import { findRoot, manifestFile } from '../core/files/root.ts';
import { sh } from '../core/lib/hint.ts';
import { isWithin, realPath, spelledAsOnDisk, withSlashes } from '../core/lib/paths.ts';
import type { Settings } from '../core/settings/settings.ts';
import { fold } from './disk/file-names.ts';
import { type Manifest, readManifest } from './manifest.ts';
import { type OwnFolder, openOwnFolder } from './own-data/own-folder.ts';
import { chosenService, embeddedService, serviceName } from './service-name.ts';

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
  own: OwnFolder;
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
  const own = openOwnFolder(settings, root);
  let known: { stamp: string | undefined; manifest: Manifest } | undefined;
  return {
    root,
    cwd,
    env,
    platform: settings.system.platform,
    own,
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

export function pathBelowRoot(location: Location, path: string): string | undefined {
  const below = relativeTo(location, path);
  const isOutside = below === '..' || below.startsWith('../') || isAbsolute(below);
  return isOutside ? undefined : below;
}

export const nameOfService = (service: string): string =>
  service === embeddedService ? 'the embedded service' : service;
