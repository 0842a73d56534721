import { basename, join } from 'node:path';
import type { UsageError } from '../errors.ts';
import { type Say, warnWith } from '../lib/say.ts';
import { fold, pathProblem } from './disk/file-names.ts';
import { createIgnoreCheck, createIgnoreFiles } from './sources/ignoring.ts';
import { createNestedProjectCheck } from './sources/nested-project.ts';
import { isCode, nameFrom, type Source, sameName, walkFolder } from './sources/walk.ts';
import { findVal, unknownVal } from './typed-words.ts';
import { createVals, type WorkspaceVal } from './vals.ts';
import { isSameFile, type KnownVals, pathTo, relativeTo } from './workspace.ts';

type Warn = (message: string) => void;

export interface SelectedVal extends WorkspaceVal {
  /** Set if the file cannot be a val, because another file has the same name. */
  problem?: UsageError;
}

export async function selectVals(
  known: KnownVals,
  words: readonly string[],
  warn: Warn,
): Promise<SelectedVal[]> {
  const isEverything = words.length === 0;
  const mayBeNew = isEverything || words.some((word) => findVal(known, word) === undefined);
  const newFiles = mayBeNew ? await findNewFiles(known, warn) : [];
  if (isEverything) return [...known.vals, ...newFiles].sort((a, b) => (a.file < b.file ? -1 : 1));
  const all = createVals([...newFiles, ...known.vals]);
  const named = words.map((word) => {
    const found = findVal(known, word) ?? findVal({ ...known, vals: all }, word);
    if (found === undefined) throw unknownVal({ ...known, vals: all }, word);
    return found;
  });
  return [...new Set(named)];
}

export async function findNewFiles(known: KnownVals, warn: Warn): Promise<SelectedVal[]> {
  const { root } = known;
  const filesByFolded = new Map([...known.vals].map(({ file }) => [fold(file), file]));
  const found: Source[] = [];
  for (const file of await walkFolder(root, warn, (below) => pathTo(known, below))) {
    if (basename(file).startsWith('.')) continue;
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
    found.push({ file, name: nameFrom(file) });
  }
  return withNameProblems(known, found);
}

const otherSpellingLeftOut = (path: string, otherSpelling: string): string =>
  `${path} was not used as a val, because on some systems it is the same file as ${otherSpelling}. Rename one of them.`;

function withNameProblems(known: KnownVals, found: readonly Source[]): SelectedVal[] {
  const filesByName = new Map([...known.vals].map(({ file, name }) => [name, [file]]));
  for (const { file, name } of found) filesByName.set(name, [...(filesByName.get(name) ?? []), file]);
  return found.map(({ file, name }): SelectedVal => {
    const other = filesByName.get(name)?.find((each) => each !== file);
    const val = { file, name, id: undefined };
    if (other === undefined) return val;
    const [first = '', second = ''] = [file, other].sort().map((each) => pathTo(known, each));
    const hint =
      'Rename one of the files, list one of the files in .valsignore, or give one of the vals another name in vals.json.';
    return { ...val, problem: sameName(first, { file: second, name }, hint) };
  });
}

/** Leaves out ignored files, because a vals.json from somebody else may list any file of the folder. */
export async function selectForPush(known: KnownVals, say: Say): Promise<SelectedVal[]> {
  const warn = warnWith(say);
  const reasonNotToPush = createFileCheck(known, warn);
  const vals: SelectedVal[] = [];
  const leftOut: string[] = [];
  for (const val of await selectVals(known, [], warn)) {
    const reason = reasonNotToPush(val);
    if (reason === undefined) vals.push(val);
    else leftOut.push(`${pathTo(known, val.file)} (${reason})`);
  }
  if (leftOut.length > 0) say({ kind: 'note', text: leftOutNote(leftOut) });
  return vals;
}

/** Returns the reason why the file must not be pushed, or undefined. */
export type FileCheck = (val: Pick<WorkspaceVal, 'file'>) => string | undefined;

export function createFileCheck({ root }: Pick<KnownVals, 'root'>, warn: Warn): FileCheck {
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

export const isBelow = (known: KnownVals, paths: readonly string[], file: string): boolean =>
  paths.length === 0 ||
  paths.some((path) => {
    const chosen = relativeTo(known, path);
    return chosen === '' || chosen === file || file.startsWith(`${chosen}/`);
  });
