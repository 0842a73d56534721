import { join } from 'node:path';
import { UsageError } from '../errors.ts';
import { grouped } from '../lib/grouped.ts';
import { type Say, warnWith } from '../lib/say.ts';
import { identifyInWorkspace } from '../names/identify.ts';
import { notInThisWorkspace } from '../names/unknown-word.ts';
import { fold, pathProblem } from './disk/file-names.ts';
import { notInWorkspace } from './disk/root.ts';
import { createIgnoreCheck, createIgnoreFiles } from './sources/ignoring.ts';
import { createNestedProjectCheck } from './sources/nested-project.ts';
import { nameFrom, sameName, withoutName } from './sources/val-names.ts';
import { isCode, walkFolder } from './sources/walk.ts';
import type { WorkspaceVal } from './vals.ts';
import { isSameFile, pathTo, relativeTo, type Workspace, type WorkspaceFiles } from './workspace.ts';
import type { Workspaces } from './workspaces.ts';

type Warn = (message: string) => void;

export interface SelectedVal extends WorkspaceVal {
  /** Set if the file cannot be a val: another file has the same name, or its name has no letter. */
  problem?: UsageError;
}

/** For commands that work on one workspace. */
export function workspaceOfWords(workspaces: Workspaces, words: readonly string[]): Workspace {
  const found = words.map(
    (word) => identifyInWorkspace(workspaces, word)?.workspace ?? workspaceOf(workspaces, word),
  );
  const [workspace = workspaces.here(), another] = new Set(found);
  if (workspace === undefined) throw notInWorkspace();
  if (another === undefined) return workspace;
  throw new UsageError('The files belong to several workspaces.', {
    hint: 'Run the command once for each workspace.',
  });
}

/** The workspace of a word that stands for no val yet: a path, or a name. */
export function workspaceOf(workspaces: Workspaces, word: string): Workspace {
  const workspace = workspaces.placeOf(word)?.workspace ?? workspaces.here();
  if (workspace === undefined) throw notInWorkspace();
  return workspace;
}

/** Without words, all vals and new files of the workspace. */
export async function selectVals(
  workspaces: Workspaces,
  workspace: Workspace,
  words: readonly string[],
  warn: Warn,
): Promise<SelectedVal[]> {
  const listed = words.map((word) => identifyInWorkspace(workspaces, word)?.val);
  const needsNewFiles = words.length === 0 || listed.includes(undefined);
  const newFiles = needsNewFiles ? await findNewFiles(workspace, warn) : [];
  const all = [...workspace.vals, ...newFiles].sort(byFile);
  if (words.length === 0) return all;
  const selected = words.flatMap((word, index) => {
    const file = workspaces.placeOf(word)?.file;
    const found = listed[index] ?? newFiles.find((each) => each.file === file || each.name === word);
    if (found !== undefined) return [found];
    const inFolder = all.filter((each) => isBelow(workspace, [word], each.file));
    if (inFolder.length === 0) throw notInThisWorkspace(workspace, word);
    return inFolder;
  });
  return [...new Set(selected)];
}

export async function findNewFiles(known: WorkspaceFiles, warn: Warn): Promise<SelectedVal[]> {
  const { root } = known;
  const filesByFolded = new Map([...known.vals].map(({ file }) => [fold(file), file]));
  const found: string[] = [];
  for (const file of await walkFolder(root, { warn, pathOf: (below) => pathTo(known, below) })) {
    const path = pathTo(known, file);
    const otherSpelling = filesByFolded.get(fold(file));
    if (otherSpelling !== undefined) {
      // On systems where both spellings mean one file, the file is already known.
      const isLeftOut = otherSpelling !== file && !isSameFile(join(root, otherSpelling), join(root, file));
      if (isLeftOut) warn(otherSpellingLeftOut(path, pathTo(known, otherSpelling)));
      continue;
    }
    const problem = pathProblem(file);
    if (problem !== undefined) {
      warn(`${path} was not used as a val, because its path ${problem}.`);
      continue;
    }
    filesByFolded.set(fold(file), file);
    found.push(file);
  }
  return withNames(known, found);
}

const otherSpellingLeftOut = (path: string, otherSpelling: string): string =>
  `${path} was not used as a val, because on some systems it is the same file as ${otherSpelling}. Rename one of them.`;

function withNames(known: WorkspaceFiles, files: readonly string[]): SelectedVal[] {
  const named = files.map((file) => ({ file, name: nameFrom(file) }));
  const byName = grouped([...known.vals, ...named], ({ name }) => name);
  return named.map(({ file, name }): SelectedVal => {
    const path = pathTo(known, file);
    if (name === undefined) return { file, name: '', id: undefined, problem: withoutName([path]) };
    const val = { file, name, id: undefined };
    const other = byName.get(name)?.find((each) => each.file !== file)?.file;
    if (other === undefined) return val;
    const [first = '', second = ''] = [file, other].sort().map((each) => pathTo(known, each));
    const hint =
      'Rename one of the files, list one of the files in .valsignore, or give one of the vals another name in vals.json.';
    return { ...val, problem: sameName(first, { file: second, name }, hint) };
  });
}

const byFile = (a: WorkspaceVal, b: WorkspaceVal): number => (a.file < b.file ? -1 : 1);

/** Leaves out ignored files, because a vals.json from somebody else may list any file of the folder. */
export async function selectForPush(known: WorkspaceFiles, say: Say): Promise<SelectedVal[]> {
  const warn = warnWith(say);
  const reasonNotToPush = createFileCheck(known, warn);
  const vals: SelectedVal[] = [];
  const leftOut: string[] = [];
  const all = [...known.vals, ...(await findNewFiles(known, warn))];
  for (const val of all.sort(byFile)) {
    const reason = reasonNotToPush(val);
    if (reason === undefined) vals.push(val);
    else leftOut.push(`${pathTo(known, val.file)} (${reason})`);
  }
  if (leftOut.length > 0) say({ kind: 'note', text: leftOutNote(leftOut) });
  return vals;
}

/** Returns the reason why the file must not be pushed, or undefined. */
export type FileCheck = (val: Pick<WorkspaceVal, 'file'>) => string | undefined;

export function createFileCheck({ root }: Pick<WorkspaceFiles, 'root'>, warn: Warn): FileCheck {
  const isIgnored = createIgnoreCheck(root, createIgnoreFiles(warn));
  const isInOtherProject = createNestedProjectCheck(root);
  return ({ file }) => {
    if (!isCode(file)) return 'not a code file';
    if (isInOtherProject(file)) return 'in another repository or workspace';
    return isIgnored(file) ? 'listed in an ignore file' : undefined;
  };
}

const mostNamed = 3;

/** `vals check` says this too, so the note does not speak of a push. */
function leftOutNote(files: readonly string[]): string {
  const more = files.length - mostNamed;
  const named = files.slice(0, mostNamed).join(', ') + (more > 0 ? ` and ${more} more` : '');
  return `Left out: ${named}. To use an ignored file or a file that is not code, give its path.`;
}

export const isBelow = (known: WorkspaceFiles, paths: readonly string[], file: string): boolean =>
  paths.length === 0 ||
  paths.some((path) => {
    const chosen = relativeTo(known, path);
    return chosen === '' || chosen === file || file.startsWith(`${chosen}/`);
  });
