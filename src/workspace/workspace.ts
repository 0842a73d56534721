// A folder of files that are vals, seen together with the one service in force.
import { basename, relative, resolve, sep } from 'node:path';
import { NotFoundError, UsageError } from '../errors.ts';
import type { Waiting } from '../lib/lock.ts';
import { didYouMean } from '../lib/suggest.ts';
import { serviceName } from '../settings/chosen-service.ts';
import type { Settings } from '../settings/settings.ts';
import { type AgreedStore, createAgreedStore } from './disk/agreed.ts';
import { updateManifest } from './disk/dot-vals.ts';
import { pathProblem } from './disk/file-names.ts';
import { type Entry, readManifest } from './disk/manifest.ts';
import { findRoot } from './disk/root.ts';

/** A val of the workspace. */
export interface WorkspaceVal {
  /** Relative to the root, with / between its parts. */
  file: string;
  name: string;
  /** On the service in force; undefined where it was never seen there. */
  id: string | undefined;
  /** vals.json does not name it. */
  isNew?: true;
}

export interface KnownVals {
  root: string;
  /** Those that vals.json names, in the order of their files. */
  vals: readonly WorkspaceVal[];
}

export interface Workspace extends KnownVals {
  service: string;
  agreed: AgreedStore;
  /** Keeps in vals.json what was learnt of a val; resolves when it is written. */
  remember(val: WorkspaceVal): Promise<void>;
}

export type Surroundings = Omit<Waiting, 'deadlineMs'> & { settings: Settings };

/** Where a command has no meaning outside of a workspace. */
export function openWorkspace(surroundings: Surroundings): Workspace {
  const root = findRoot(surroundings.settings);
  if (root === undefined) {
    throw new UsageError('This folder is not in a workspace.', { hint: '`vals init` makes it one.' });
  }
  return workspaceAt(root, surroundings);
}

export function workspaceAt(root: string, surroundings: Surroundings): Workspace {
  const { settings, warn } = surroundings;
  const service = serviceName(settings);
  const vals = valsOf(root, service);
  const ids = vals.flatMap(({ id }) => id ?? []);
  return {
    root,
    service,
    vals,
    agreed: createAgreedStore(root, service, ids, warn),
    remember: createMemory(root, service, surroundings),
  };
}

/** As vals.json has them now. */
export const valsOf = (root: string, service: string): WorkspaceVal[] =>
  [...readManifest(root).vals]
    .map(([file, { name, ids }]) => ({ file, name, id: ids.get(service) }))
    .sort((a, b) => (a.file < b.file ? -1 : 1));

/** What many pushes at once have to say goes into as few changes of vals.json as there can be. */
function createMemory(root: string, service: string, surroundings: Surroundings): Workspace['remember'] {
  const { warn } = surroundings;
  let waiting: WorkspaceVal[] = [];
  let last = Promise.resolve();
  let next: Promise<void> | undefined;

  async function write(): Promise<void> {
    const vals = waiting;
    waiting = [];
    next = undefined;
    await updateManifest(root, surroundings, ({ vals: entries }) => {
      const files = new Map<string, string>();
      for (const [file, { name, ids }] of entries) {
        files.set(`name ${name}`, file);
        if (ids.has(service)) files.set(`id ${ids.get(service)}`, file);
      }
      for (const val of vals) note(entries, files, val);
    });
  }

  /** Two of one name, or of one id, would make vals.json unreadable. */
  function note(entries: Map<string, Entry>, files: Map<string, string>, val: WorkspaceVal): void {
    const { file, name, id } = val;
    const entry = entries.get(file) ?? { name, ids: new Map(), others: {} };
    const isOthers = (key: string) => (files.get(key) ?? file) !== file;
    const isTaken = isOthers(`name ${name}`);
    if (isTaken) warn(`Another val in vals.json is named "${name}"; the name of ${file} was left as it is.`);
    else entry.name = name;
    if (id !== undefined && isOthers(`id ${id}`)) {
      warn(`${files.get(`id ${id}`)} is the val ${id} in vals.json already; ${file} was left without an id.`);
    } else if (id !== undefined) {
      entry.ids.set(service, id);
      files.set(`id ${id}`, file);
    }
    if (isTaken && !entries.has(file)) return;
    entries.set(file, entry);
    files.set(`name ${entry.name}`, file);
  }

  return (val) => {
    waiting.push(val);
    if (next === undefined) {
      next = last.catch(() => {}).then(write);
      last = next;
    }
    return next;
  };
}

/** A path as seen from the root, with / between its parts. */
export const relativeTo = (root: string, path: string): string =>
  relative(root, resolve(path)).split(sep).join('/');

/** The same; undefined for what lies outside or can be no val's file. */
export function fileBelow(root: string, path: string): string | undefined {
  const file = relativeTo(root, path);
  return pathProblem(file) === undefined ? file : undefined;
}

/** By its file, as seen from here or from the root, its name or its id. */
export function findVal({ root, vals }: KnownVals, word: string): WorkspaceVal | undefined {
  const file = fileBelow(root, word);
  const fromRoot = word.replace(/^\.\//, '');
  return (
    vals.find((val) => val.file === file) ??
    vals.find((val) => val.file === fromRoot) ??
    vals.find((val) => val.name === word) ??
    vals.find((val) => val.id === word)
  );
}

export function unknownVal({ vals }: Pick<KnownVals, 'vals'>, word: string): NotFoundError {
  const inFolder = vals.find(({ file }) => basename(file) === word);
  const suggestion = inFolder
    ? ` Did you mean "${inFolder.file}"?`
    : didYouMean(
        word,
        vals.flatMap(({ name, file }) => [name, file]),
      );
  return new NotFoundError(`The workspace knows no val "${word}".${suggestion}`, {
    hint: 'Name a val, its file or its id; `vals status` lists them.',
  });
}

export const neverThere = ({ service }: Pick<Workspace, 'service'>, { name }: WorkspaceVal): NotFoundError =>
  new NotFoundError(`"${name}" is in the workspace, but it was never pushed to ${nameOf(service)}.`, {
    hint: `\`vals push\` sends it there.`,
  });

export const nameOf = (service: string): string => (service === 'local' ? 'the embedded service' : service);
