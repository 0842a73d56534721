import { lstatSync } from 'node:fs';
import { basename, dirname, isAbsolute, join, relative, resolve } from 'node:path';
import { LocalError } from '../errors.ts';
import { isWithin, realPath, withSlashes } from '../lib/paths.ts';
import { warnWith } from '../lib/say.ts';
import { chosenService, embeddedService, isOfThisMachine, serviceName } from '../settings/settings.ts';
import { fold, pathProblem } from './disk/file-names.ts';
import { stampOf } from './disk/files.ts';
import { applyChanges, type ManifestChange } from './disk/manifest-changes.ts';
import { readManifest, updateManifest, type WorkspaceContext } from './disk/manifest-file.ts';
import { findRoot, manifestFile } from './disk/root.ts';
import { type OwnFolder, openOwnFolder } from './records/own-folder.ts';
import { createRecordedIds } from './records/recorded-ids.ts';
import { createRecords, type Records, withName } from './records/val-records.ts';
import { createVals, type Vals, type WorkspaceVal } from './vals.ts';

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
  const warn = warnWith(context.say);
  const own = openOwnFolder(settings, root);
  /** What vals.json lacks. If vals.json cannot be written, the next save tries again. */
  const changes = new Map<string, ManifestChange>();
  let renamed = new Set<string>();
  const manifest = createManifestView(root, () => {
    const vals = createVals(valsOf(root, own, chosenService(settings)), recordedId);
    for (const { file, name, id, movedFrom } of changes.values()) {
      if (movedFrom !== undefined) vals.remove(movedFrom);
      vals.set({ file, name, id });
    }
    return vals;
  });
  let records: Records | undefined;
  const isListed = (file: string) => manifest.vals().ofFile(file) !== undefined;
  function recordsOfService(): Records {
    records ??= createRecords(own, serviceName(settings), isListed, warn);
    return records;
  }
  const recordedId = (val: WorkspaceVal) =>
    chosenService(settings) === undefined ? undefined : recordsOfService().of(val)?.id;

  /**
   * Runs after vals.json got the new name. If the record got the new name first, then after a crash the old name in
   * vals.json would look like a rename by the user, and the next push would undo the rename on the service.
   */
  function recordNames(): void {
    for (const file of renamed) {
      const val = manifest.vals().ofFile(file);
      const record = val && recordsOfService().of(val);
      if (val !== undefined && record !== undefined) recordsOfService().write(withName(record, val.name));
    }
    renamed = new Set();
  }

  return {
    root,
    cwd,
    own,
    get vals() {
      return manifest.vals();
    },
    get service() {
      return serviceName(settings);
    },
    get records() {
      return recordsOfService();
    },
    idOf: (val) => val.id ?? recordedId(val),
    forgetRecord(file) {
      if (chosenService(settings) !== undefined) recordsOfService().remove(file);
    },
    remember({ file, name, id: givenId, movedFrom }, idBefore) {
      const service = serviceName(settings);
      const vals = manifest.vals();
      // The id on a service of this machine is in the record.
      const id = isOfThisMachine(service) ? undefined : givenId;
      const known = vals.ofFile(file);
      if (known?.name === name && known.id === id) return;
      changes.set(file, { file, name, id, idBefore, movedFrom });
      if (known !== undefined && known.name !== name) renamed.add(file);
      if (movedFrom !== undefined) vals.remove(movedFrom);
      vals.set({ file, name, id });
    },
    async saveManifest() {
      if (changes.size === 0) return undefined;
      const unsaved = new Map(changes);
      try {
        await updateManifest(root, context, (content) =>
          applyChanges(content, serviceName(settings), [...unsaved.values()], warn),
        );
        // A val may have changed again meanwhile.
        for (const [file, change] of unsaved) if (changes.get(file) === change) changes.delete(file);
        recordNames();
        return undefined;
      } catch (error) {
        if (error instanceof LocalError) return error;
        throw error;
      }
    },
  };
}

/** Reads vals.json again if somebody has changed it. */
function createManifestView(root: string, read: () => Vals): { vals(): Vals } {
  let known: { stamp: string | undefined; vals: Vals } | undefined;
  return {
    vals() {
      const stamp = stampOf(root, manifestFile);
      if (known === undefined || known.stamp !== stamp) known = { stamp, vals: read() };
      return known.vals;
    },
  };
}

/** Without a service, the vals have no ids. */
function valsOf(root: string, own: OwnFolder, service: string | undefined): WorkspaceVal[] {
  const entries = readManifest(root).vals;
  if (service === undefined) return [...entries].map(([file, { name }]) => ({ file, name, id: undefined }));
  const recorded = createRecordedIds(own, service, (file) => entries.has(file));
  return [...entries].map(([file, { name, ids }]) => {
    const known = new Map([...ids, ...recorded.elsewhere({ file, name })]);
    const isElsewhere = known.size > 0 && !known.has(service) && !recorded.has(file);
    const id = ids.get(service) ?? (isElsewhere ? idAtOrigin(service, known) : undefined);
    return { file, name, id, ...(isElsewhere && { otherServices: [...known.keys()] }) };
  });
}

/** Another path of the same origin, such as a space, is another owner of the same vals. */
const idAtOrigin = (service: string, ids: ReadonlyMap<string, string>): string | undefined =>
  [...ids].find(([other]) => haveSameOrigin(other, service))?.[1];

export const haveSameOrigin = (service: string, other: string): boolean =>
  originOf(service) === originOf(other);

function originOf(service: string): string {
  return URL.canParse(service) ? new URL(service).origin : service;
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
