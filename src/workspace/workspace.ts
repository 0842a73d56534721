import { lstatSync } from 'node:fs';
import { basename, dirname, isAbsolute, join, relative, resolve } from 'node:path';
import type { LocalError } from '../errors.ts';
import { isWithin, realPath, withSlashes } from '../lib/paths.ts';
import { warnWith } from '../lib/say.ts';
import { chosenService, embeddedService, serviceName } from '../settings/settings.ts';
import { fold, pathProblem } from './disk/file-names.ts';
import type { WorkspaceContext } from './disk/manifest-file.ts';
import { findRoot } from './disk/root.ts';
import { createListing } from './listing.ts';
import { type OwnFolder, openOwnFolder } from './records/own-folder.ts';
import { createRecords, type Records } from './records/val-records.ts';
import type { Vals, WorkspaceVal } from './vals.ts';

/** The files of a workspace and their vals. */
export interface WorkspaceFiles {
  root: string;
  cwd: string;
  /** What vals.json has now, with what this command will write into it. */
  readonly vals: Vals;
}

type Location = Pick<WorkspaceFiles, 'root' | 'cwd'>;

export interface Workspace extends WorkspaceFiles {
  /** Throws if no service is chosen. */
  readonly service: string;
  readonly records: Records;
  own: OwnFolder;
  /** The id that vals.json or the record has. */
  idOf(val: WorkspaceVal): string | undefined;
  forgetRecord(file: string): void;
  /** vals.json gets the name and the id at the end of the command. */
  remember(val: WorkspaceVal, idBefore?: string): void;
  saveManifest(): Promise<LocalError | undefined>;
}

export function workspaceAt(
  root: string,
  context: WorkspaceContext,
  cwd: string = context.settings.cwd,
): Workspace {
  const { settings } = context;
  const own = openOwnFolder(settings, root);
  let records: Records | undefined;
  const isListed = (file: string) => listing.vals().ofFile(file) !== undefined;
  function openRecords(): Records {
    records ??= createRecords(own, serviceName(settings), isListed, warnWith(context.say));
    return records;
  }
  const listing = createListing(root, context, { own, openRecords });
  return {
    root,
    cwd,
    own,
    get vals() {
      return listing.vals();
    },
    get service() {
      return serviceName(settings);
    },
    get records() {
      return openRecords();
    },
    idOf: listing.idOf,
    forgetRecord(file) {
      if (chosenService(settings) !== undefined) openRecords().remove(file);
    },
    remember: listing.remember,
    saveManifest: listing.save,
  };
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

export function pathBelowRoot(location: Location, path: string): string | undefined {
  const below = relativeTo(location, path);
  const isOutside = below === '..' || below.startsWith('../') || isAbsolute(below);
  return isOutside ? undefined : below;
}

export function fileBelow(location: Location, path: string): string | undefined {
  const file = relativeTo(location, path);
  return pathProblem(file) === undefined ? file : undefined;
}

export function valOfFile(
  { root, vals }: Pick<WorkspaceFiles, 'root' | 'vals'>,
  file: string,
): WorkspaceVal | undefined {
  const exact = vals.ofFile(file);
  if (exact !== undefined) return exact;
  const similar = vals.ofFoldedFile(fold(file));
  return similar && isSameFile(join(root, similar.file), join(root, file)) ? similar : undefined;
}

export function isSameFile(path: string, otherPath: string): boolean {
  const stats = lstatSync(path, { bigint: true, throwIfNoEntry: false });
  const other = lstatSync(otherPath, { bigint: true, throwIfNoEntry: false });
  return stats !== undefined && stats.dev === other?.dev && stats.ino === other.ino;
}

export function otherServiceWarning(service: string, vals: readonly WorkspaceVal[]): string | undefined {
  const elsewhere = vals.filter(({ otherServices }) => otherServices !== undefined);
  if (elsewhere.length === 0) return undefined;
  const services = [...new Set(elsewhere.flatMap(({ otherServices = [] }) => otherServices))];
  const which = elsewhere.length === vals.length ? 'The' : `${elsewhere.length} of the`;
  return `${which} vals were pushed to ${namesOf(services)}, but the service in use is ${nameOf(service)}.`;
}

export const nameOf = (service: string): string =>
  service === embeddedService ? 'the embedded service' : service;

const mostNamed = 3;

export function namesOf(services: readonly string[]): string {
  const more = services.length - mostNamed;
  const names = services.slice(0, mostNamed).map(nameOf);
  return more > 0 ? `${names.join(', ')} and ${more} more` : names.join(' and ');
}
