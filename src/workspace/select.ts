import { basename, join } from 'node:path';
import { fold, pathProblem } from './disk/file-names.ts';
import { createIgnoreCheck, createIgnoreFiles } from './sources/ignoring.ts';
import { createNestedProjectCheck } from './sources/nested-project.ts';
import { isCode, nameFrom, refuseSameNames, type Source, walkFolder } from './sources/walk.ts';
import { findVal, unknownVal } from './typed-words.ts';
import { createVals, type WorkspaceVal } from './vals.ts';
import { isSameFile, type KnownVals, relativeTo } from './workspace.ts';

export async function selectVals(
  workspace: KnownVals,
  words: readonly string[],
  warn: (message: string) => void,
): Promise<WorkspaceVal[]> {
  const isEverything = words.length === 0;
  const mayBeNew = isEverything || words.some((word) => findVal(workspace, word) === undefined);
  const newFiles = mayBeNew ? await findNewFiles(workspace.root, [...workspace.vals], warn) : [];
  const all = createVals([...workspace.vals, ...newFiles.map((source) => ({ ...source, id: undefined }))]);
  if (isEverything) return [...all];
  const named = words.map((word) => {
    const found = findVal({ ...workspace, vals: all }, word);
    if (found === undefined) throw unknownVal({ vals: all }, word);
    return found;
  });
  return [...new Set(named)];
}

export async function findNewFiles(
  root: string,
  known: readonly Source[],
  warn: (message: string) => void,
): Promise<Source[]> {
  const filesByFolded = new Map(known.map(({ file }) => [fold(file), file]));
  const found: Source[] = [];
  for (const file of await walkFolder(root, warn)) {
    if (basename(file).startsWith('.')) continue;
    const otherSpelling = filesByFolded.get(fold(file));
    if (otherSpelling !== undefined) {
      // On systems where both spellings mean one file, the file is already known.
      const isLeftOut = otherSpelling !== file && !isSameFile(join(root, otherSpelling), join(root, file));
      if (isLeftOut) warn(otherSpellingLeftOut(file, otherSpelling));
      continue;
    }
    const problem = pathProblem(file);
    if (problem !== undefined) {
      warn(`${file} was not used as a val, because its path ${problem}.`);
      continue;
    }
    filesByFolded.set(fold(file), file);
    found.push({ file, name: nameFrom(file) });
  }
  refuseSameNames(
    [...known, ...found],
    'Rename one of the files, list one of the files in .valsignore, or give one of the vals another name in vals.json.',
  );
  return found;
}

const otherSpellingLeftOut = (file: string, otherSpelling: string): string =>
  `${file} was not used as a val, because on some systems it is the same file as ${otherSpelling}. Rename one of them.`;

/** Leaves out ignored files, because a hostile vals.json may list any file of the folder. */
export async function selectForPush(
  workspace: KnownVals,
  { warn, note }: { warn(message: string): void; note(message: string): void },
): Promise<WorkspaceVal[]> {
  const reasonNotToPush = createFileCheck(workspace, warn);
  const vals: WorkspaceVal[] = [];
  const leftOut: string[] = [];
  for (const val of await selectVals(workspace, [], warn)) {
    const reason = reasonNotToPush(val);
    if (reason === undefined) vals.push(val);
    else leftOut.push(`${val.file} (${reason})`);
  }
  if (leftOut.length > 0) note(leftOutNote(leftOut));
  return vals;
}

/** Returns the reason why the file must not be pushed, or undefined. */
export type FileCheck = (val: Pick<WorkspaceVal, 'file'>) => string | undefined;

export function createFileCheck(
  { root }: Pick<KnownVals, 'root'>,
  warn: (message: string) => void,
): FileCheck {
  const isIgnored = createIgnoreCheck(root, createIgnoreFiles(warn));
  const isInOtherProject = createNestedProjectCheck(root);
  return ({ file }) => {
    if (!isCode(file)) return 'not a code file';
    if (isInOtherProject(file)) return 'in another repository or workspace';
    return isIgnored(file) ? 'listed in an ignore file' : undefined;
  };
}

const mostNamed = 3;

function leftOutNote(files: readonly string[]): string {
  const more = files.length - mostNamed;
  const named = files.slice(0, mostNamed).join(', ') + (more > 0 ? ` and ${more} more` : '');
  return `Not pushed: ${named}. To push an ignored file or a file that is not code, run \`vals push <file>\`.`;
}

export const isBelow = (workspace: KnownVals, paths: readonly string[], file: string): boolean =>
  paths.length === 0 ||
  paths.some((path) => {
    const chosen = relativeTo(workspace, path);
    return chosen === '' || chosen === file || file.startsWith(`${chosen}/`);
  });
