import { lstatSync } from 'node:fs';
import { basename, dirname, isAbsolute, join, relative, resolve } from 'node:path';
import { LocalError, NotFoundError, UsageError } from '../errors.ts';
import { isWithin, realPath, withSlashes } from '../lib/paths.ts';
import { embeddedService, serviceName } from '../settings/settings.ts';
import { type Bases, createBases } from './disk/base.ts';
import type { WorkspaceContext } from './disk/dot-vals.ts';
import { fold, pathProblem } from './disk/file-names.ts';
import { stampOf } from './disk/files.ts';
import { appendToJournal, readJournal } from './disk/journal.ts';
import { broken } from './disk/manifest.ts';
import { readManifest, updateManifest } from './disk/manifest-file.ts';
import { applyNotes, type Note } from './disk/notes.ts';
import { findRoot, manifestFile } from './disk/root.ts';
import { createVals, type Vals, type WorkspaceVal } from './vals.ts';

export interface KnownVals {
  root: string;
  cwd: string;
  vals: Vals;
}

type Location = Pick<KnownVals, 'root' | 'cwd'>;

export interface Workspace extends KnownVals {
  service: string;
  bases: Bases;
  refreshed(): Workspace;
  /** `idBefore` is the id that the file had when the command read vals.json. */
  remember(val: WorkspaceVal, idBefore?: string): void;
  saveManifest(): Promise<LocalError | undefined>;
}

export function openWorkspace(context: WorkspaceContext): Workspace {
  const root = findRoot(context.settings);
  if (root === undefined) {
    throw new UsageError('This folder is not in a workspace.', {
      hint: 'To make this folder a workspace, run `vals init`.',
    });
  }
  return workspaceAt(root, context);
}

export function workspaceAt(root: string, context: WorkspaceContext): Workspace {
  const {
    settings,
    say: { warn },
  } = context;
  const service = serviceName(settings);
  let stamp = stampOf(root, manifestFile);
  let vals = valsOf(root, service);
  const bases = createBases(root, service, vals, warn);
  let unsavedNotes = new Map<string, Note>();
  let renamedFiles = new Set<string>();
  let hasLeftovers = readJournal(root).text !== '';

  /**
   * Runs after vals.json got the new name. If the base got the new name first, then after a crash the old name in
   * vals.json would look like a rename by the user, and the next push would undo the rename on the service.
   */
  function recordName(val: WorkspaceVal): void {
    try {
      const base = bases.read(val);
      if (base?.name !== undefined) bases.write(val, { ...base, name: val.name });
    } catch (error) {
      if (!(error instanceof LocalError)) throw error;
      bases.warnNotRecorded(val, error);
    }
  }

  const workspace: Workspace = {
    root,
    cwd: settings.cwd,
    service,
    bases,
    vals,
    refreshed() {
      const found = stampOf(root, manifestFile);
      if (found !== stamp) vals = valsOf(root, service);
      stamp = found;
      return { ...workspace, vals };
    },
    remember(val, idBefore) {
      const { file, name, id } = val;
      const known = vals.ofFile(file);
      if (known?.name === name && known.id === id) return;
      bases.prepare();
      const note = { service, file, name, ...(id && { id }), ...(idBefore && { before: idBefore }) };
      appendToJournal(root, note);
      unsavedNotes.set(file, note);
      if (known !== undefined && known.name !== name) renamedFiles.add(file);
      vals.set(val);
      if (id !== undefined) bases.removeBaseByName(name);
    },
    async saveManifest() {
      if (unsavedNotes.size === 0 && !hasLeftovers) return undefined;
      const notes = [...unsavedNotes.values()];
      const renames = notes.filter(({ file }) => renamedFiles.has(file));
      let savedRenames: Note[] = [];
      unsavedNotes = new Map();
      renamedFiles = new Set();
      hasLeftovers = true;
      try {
        await updateManifest(root, context, (manifest) => {
          applyNotes(manifest, notes, { mayRename: true, warn });
          savedRenames = renames.filter(({ file, name }) => manifest.vals.get(file)?.name === name);
        });
      } catch (error) {
        if (error instanceof LocalError) return error;
        throw error;
      }
      hasLeftovers = false;
      for (const { file, id, name } of savedRenames) recordName({ file, id, name });
      return undefined;
    },
  };
  return workspace;
}

export function valsOf(root: string, service: string | undefined): Vals {
  const vals = [...readManifest(root).vals].map(([file, { name, ids }]): WorkspaceVal => {
    if (service === undefined) return { file, name, id: undefined };
    const isElsewhere = !ids.has(service) && ids.size > 0;
    return { file, name, id: idOn(service, ids), ...(isElsewhere && { otherServices: [...ids.keys()] }) };
  });
  refuseSameIds(vals);
  return createVals(vals);
}

function refuseSameIds(vals: readonly WorkspaceVal[]): void {
  const fileById = new Map<string, string>();
  for (const { file, id } of vals) {
    if (id === undefined) continue;
    const otherFile = fileById.get(id);
    if (otherFile !== undefined) throw broken(`has the id ${id} twice: ${otherFile} and ${file}`);
    fileById.set(id, file);
  }
}

function idOn(service: string, ids: ReadonlyMap<string, string>): string | undefined {
  const own = ids.get(service);
  if (own !== undefined) return own;
  return [...ids].find(([other]) => haveSameOrigin(other, service))?.[1];
}

export const haveSameOrigin = (service: string, other: string): boolean =>
  originOf(service) === originOf(other);

function originOf(service: string): string {
  return URL.canParse(service) ? new URL(service).origin : service;
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
  { root, vals }: Pick<KnownVals, 'root' | 'vals'>,
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

export function withoutId(
  { service, bases }: Pick<Workspace, 'service' | 'bases'>,
  val: WorkspaceVal,
): NotFoundError {
  const { name } = val;
  return bases.read(val) === undefined
    ? new NotFoundError(
        `The val "${name}" is in the workspace, but was never pushed to ${nameOf(service)}.`,
        {
          hint: 'To push the val, run `vals push`.',
        },
      )
    : new NotFoundError(`The val "${name}" was pushed to ${nameOf(service)}, which sent no id.`, {
        hint: 'Find the id of the val on the service, then run `vals pull <id>`.',
      });
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
