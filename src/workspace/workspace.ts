// A folder of files that are vals, seen together with the one service in force.
import { lstatSync } from 'node:fs';
import { basename, dirname, join, relative, resolve } from 'node:path';
import { LocalError, NotFoundError, UsageError } from '../errors.ts';
import { isWithin, realPath, withSlashes } from '../lib/paths.ts';
import { didYouMean } from '../lib/suggest.ts';
import { embeddedService, serviceName } from '../settings/chosen-service.ts';
import { type Bases, createBases } from './disk/base.ts';
import type { WorkspaceContext } from './disk/dot-vals.ts';
import { fold, pathProblem } from './disk/file-names.ts';
import { stampOf } from './disk/files.ts';
import { appendToJournal, readJournal } from './disk/journal.ts';
import { readManifest, updateManifest } from './disk/manifest-file.ts';
import { applyNotes, type Note } from './disk/notes.ts';
import { findRoot, manifestFile } from './disk/root.ts';
import { createVals, type Vals, type WorkspaceVal } from './vals.ts';

export interface KnownVals {
  root: string;
  /** Where the user is, for paths on the command line. */
  cwd: string;
  /** Those that vals.json names. */
  vals: Vals;
}

type Location = Pick<KnownVals, 'root' | 'cwd'>;

export interface Workspace extends KnownVals {
  service: string;
  bases: Bases;
  /** As vals.json has it now, with what was remembered since. */
  now(): Workspace;
  /** Keeps what was learnt of a val; a crash does not lose it. */
  remember(val: WorkspaceVal): void;
  /**
   * Writes into vals.json what was remembered, by this command or by one that crashed. If it cannot be written, the error
   * is returned and the next command writes it.
   */
  saveManifest(): Promise<LocalError | undefined>;
}

/** Where a command has no meaning outside of a workspace. */
export function openWorkspace(context: WorkspaceContext): Workspace {
  const root = findRoot(context.settings);
  if (root === undefined) {
    throw new UsageError('This folder is not in a workspace.', { hint: '`vals init` makes it one.' });
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
  const ids = [...vals].flatMap(({ id }) => id ?? []);
  const bases = createBases(root, service, ids, warn);
  /** By file: the last one counts. */
  let unwritten = new Map<string, Note>();
  let hasLeftovers = readJournal(root).text !== '';

  const workspace: Workspace = {
    root,
    cwd: settings.cwd,
    service,
    bases,
    vals,
    now() {
      const found = stampOf(root, manifestFile);
      if (found !== stamp) vals = valsOf(root, service);
      stamp = found;
      return { ...workspace, vals };
    },
    remember(val) {
      const { file, name, id } = val;
      const known = vals.ofFile(file);
      if (known?.name === name && known.id === id) return;
      bases.prepare();
      const note = { service, file, name, ...(id && { id }), ...(known?.id && { before: known.id }) };
      appendToJournal(root, note);
      unwritten.set(file, note);
      vals.set(val);
      if (id !== undefined) bases.forgetName(name);
    },
    async saveManifest() {
      if (unwritten.size === 0 && !hasLeftovers) return undefined;
      const notes = [...unwritten.values()];
      unwritten = new Map();
      hasLeftovers = true;
      try {
        await updateManifest(root, context, (manifest) =>
          applyNotes(manifest, notes, { rename: true, warn }),
        );
      } catch (error) {
        if (error instanceof LocalError) return error;
        throw error;
      }
      hasLeftovers = false;
      return undefined;
    },
  };
  return workspace;
}

/** As vals.json has them now. */
export const valsOf = (root: string, service: string): Vals =>
  createVals(
    [...readManifest(root).vals].map(([file, { name, ids }]) => {
      const isElsewhere = !ids.has(service) && ids.size > 0;
      return { file, name, id: idOn(service, ids), ...(isElsewhere && { others: [...ids.keys()] }) };
    }),
  );

/** Another path of the same origin is another owner of the same vals, such as a space: its id counts if there is no other. */
function idOn(service: string, ids: ReadonlyMap<string, string>): string | undefined {
  const own = ids.get(service);
  if (own !== undefined) return own;
  return [...ids].find(([other]) => originOf(other) === originOf(service))?.[1];
}

function originOf(service: string): string {
  return URL.canParse(service) ? new URL(service).origin : service;
}

/** A path as seen from the root, with / between its parts. */
export function relativeTo({ root, cwd }: Location, path: string): string {
  const target = resolve(cwd, path);
  if (isWithin(root, target)) return withSlashes(relative(root, target));
  // One of the two may lead through a link above the workspace, such as /tmp on macOS.
  const real = { root: realPath(root), target: join(realPath(dirname(target)), basename(target)) };
  const { root: from, target: to } = isWithin(real.root, real.target) ? real : { root, target };
  return withSlashes(relative(from, to));
}

/** The same; undefined for what lies outside or can be no val's file. */
export function fileBelow(location: Location, path: string): string | undefined {
  const file = relativeTo(location, path);
  return pathProblem(file) === undefined ? file : undefined;
}

/** Also if vals.json spells the file in another way that means the same file here, such as `Case.ts` on Windows. */
export function valOfFile(
  { root, vals }: Pick<KnownVals, 'root' | 'vals'>,
  file: string,
): WorkspaceVal | undefined {
  const exact = vals.ofFile(file);
  if (exact !== undefined) return exact;
  const similar = vals.ofFoldedFile(fold(file));
  return similar && isSameFile(join(root, similar.file), join(root, file)) ? similar : undefined;
}

function isSameFile(...paths: [string, string]): boolean {
  const [one, other] = paths.map((path) => lstatSync(path, { bigint: true, throwIfNoEntry: false }));
  return one !== undefined && one.dev === other?.dev && one.ino === other.ino;
}

/** By its file, as seen from here or from the root, its name or its id. */
export function findVal(known: KnownVals, word: string): WorkspaceVal | undefined {
  const { vals } = known;
  const file = fileBelow(known, word);
  const fromRoot = word.replace(/^\.\//, '');
  return (
    (file === undefined ? undefined : valOfFile(known, file)) ??
    vals.ofFile(fromRoot) ??
    vals.ofName(word) ??
    vals.ofId(word)
  );
}

export function unknownVal({ vals }: Pick<KnownVals, 'vals'>, word: string): NotFoundError {
  const inFolder = [...vals].find(({ file }) => basename(file) === word);
  const suggestion = inFolder
    ? ` Did you mean "${inFolder.file}"?`
    : didYouMean(
        word,
        [...vals].flatMap(({ name, file }) => [name, file]),
      );
  return new NotFoundError(`The workspace has no val "${word}".${suggestion}`, {
    hint: '`vals status` lists the vals of the workspace.',
  });
}

/** Why a val of the workspace cannot be asked for. */
export function withoutId(
  { service, bases }: Pick<Workspace, 'service' | 'bases'>,
  val: WorkspaceVal,
): NotFoundError {
  const { name } = val;
  return bases.read(val) === undefined
    ? new NotFoundError(`"${name}" is in the workspace, but it was never pushed to ${nameOf(service)}.`, {
        hint: `\`vals push\` sends it there.`,
      })
    : new NotFoundError(`"${name}" was pushed to ${nameOf(service)}, which sent no id.`, {
        hint: 'Find the id on the service; `vals pull <id>` makes it known here.',
      });
}

/** What to say at once if vals were pushed to other services or spaces, and not to this one; undefined if none were. */
export function pushedElsewhere(service: string, vals: readonly WorkspaceVal[]): string | undefined {
  const elsewhere = vals.filter(({ others }) => others !== undefined);
  if (elsewhere.length === 0) return undefined;
  const services = [...new Set(elsewhere.flatMap(({ others = [] }) => others))].map(nameOf);
  const which = elsewhere.length === vals.length ? 'These' : `${elsewhere.length} of these`;
  return `${which} vals were pushed to ${services.join(' and ')}; this is ${nameOf(service)}.`;
}

export const nameOf = (service: string): string =>
  service === embeddedService ? 'the embedded service' : service;
