// Which files of a workspace are vals, and what they are named.
import { LocalError, UsageError } from '../../core/errors.ts';
import { existsBelow, readBelow } from '../../core/files/files.ts';
import { nameFrom, refuseUnusableNames } from '../../core/files/val-names.ts';
import { walkFolder } from '../../core/files/walk.ts';
import { listed } from '../../core/lib/hint.ts';
import type { Say } from '../../core/output/out.ts';
import { asCode, type Code } from '../code.ts';
import { fileAt, pathTo, type Workspace } from '../workspace.ts';

/** A file that is a val. */
export interface Local {
  /** Below the root of the workspace, with slashes. */
  file: string;
  name: string;
  code: Code;
}

/** The name of the val of each file. Undefined for a file whose name no val can have. */
export type FileNames = ReadonlyMap<string, string | undefined>;

export const nameOfFile = ({ manifest }: Pick<Workspace, 'manifest'>, file: string): string | undefined =>
  manifest.names.get(file) ?? nameFrom(file);

/** Every file that a push of the folder takes, and the files that the user named. */
export async function readFileNames(
  workspace: Workspace,
  named: readonly string[] = [],
  warn: (text: string) => void = () => {},
): Promise<FileNames> {
  const pathOf = (below: string) => pathTo(workspace, below);
  const walked = await walkFolder(workspace.root, { warn, pathOf });
  const present = named.filter((file) => existsBelow(workspace.root, file));
  const files = [...new Set([...walked, ...present])].sort();
  const { manifest } = workspace;
  return new Map(files.map((file) => [file, nameOfFile({ manifest }, file)]));
}

/** About entries in `names` of vals.json. */
export function noteStaleNames(say: Say, { root, manifest }: Workspace): void {
  const stale = [...manifest.names.keys()].filter((file) => !existsBelow(root, file));
  if (stale.length === 0) return;
  const what = stale.length === 1 ? 'is no such file' : 'are no such files';
  say({ kind: 'note', text: `"names" of vals.json has ${listed(stale)}, but there ${what}.` });
}

export interface NamedFile {
  file: string;
  name: string;
}

/**
 * The files with usable names, and what is wrong with the others: one has no usable name, or shares its name with another file of
 * the workspace.
 */
export function sortFiles(
  workspace: Workspace,
  names: FileNames,
  isChosen: (file: string) => boolean = () => true,
): { files: NamedFile[]; problem: UsageError | undefined } {
  const chosen = [...names].filter(([file]) => isChosen(file));
  const chosenNames = new Set(chosen.map(([, name]) => name));
  const alike = [...names].filter(([file, name]) => isChosen(file) || (name && chosenNames.has(name)));
  const counts = new Map<string | undefined, number>();
  for (const [, name] of alike) counts.set(name, (counts.get(name) ?? 0) + 1);
  const files = chosen.flatMap(([file, name = '']) => (counts.get(name) === 1 ? [{ file, name }] : []));
  try {
    refuseUnusableNames(alike.map(([file, name]) => ({ file: pathTo(workspace, file), name })));
    return { files, problem: undefined };
  } catch (error) {
    if (!(error instanceof UsageError)) throw error;
    return { files, problem: new UsageError(error.message, { hint: otherName }) };
  }
}

const otherName =
  'Rename the file, list it in .valsignore, or write another name for its val into "names" of vals.json.';

/** A file that is gone by now is left out. */
export function readLocals(
  workspace: Workspace,
  files: readonly NamedFile[],
): { locals: Local[]; failed: (NamedFile & { error: LocalError })[] } {
  const locals: Local[] = [];
  const failed: (NamedFile & { error: LocalError })[] = [];
  for (const each of files) {
    try {
      const text = readBelow(workspace.root, each.file, pathTo(workspace, each.file));
      if (text !== undefined) locals.push({ ...each, code: asCode(text) });
    } catch (error) {
      if (!(error instanceof LocalError)) throw error;
      failed.push({ ...each, error });
    }
  }
  return { locals, failed };
}

/** Tells whether a file is one of these paths, or in one of these folders. No paths mean the whole workspace. */
export function createPathFilter(workspace: Workspace, paths: readonly string[]): (file: string) => boolean {
  const chosen = paths.map((path) => fileAt(workspace, path));
  return (file) =>
    chosen.length === 0 || chosen.some((path) => path === '' || path === file || file.startsWith(`${path}/`));
}
