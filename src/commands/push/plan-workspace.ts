import type { Context } from '../../cli/context.ts';
import { LocalError, UsageError } from '../../errors.ts';
import { pathProblem } from '../../workspace/disk/file-names.ts';
import { readBelow } from '../../workspace/disk/files.ts';
import { createFileCheck, type FileCheck, selectForPush } from '../../workspace/select.ts';
import { createNestedProjectCheck, inOtherProject } from '../../workspace/sources/nested-project.ts';
import { checkNotEmpty } from '../../workspace/sources/read-text.ts';
import {
  collectFiles,
  type FoundFile,
  nameFrom,
  pathExists,
  refuseSameNames,
  sameName,
} from '../../workspace/sources/walk.ts';
import { findVal, knownVals } from '../../workspace/typed-words.ts';
import type { WorkspaceVal } from '../../workspace/vals.ts';
import {
  fileBelow,
  type KnownVals,
  pathBelowRoot,
  pathTo,
  valOfFile,
  workspaceAt,
} from '../../workspace/workspace.ts';
import { type PushItem, type Selection, untrackedItem } from './item.ts';

export async function planInWorkspace(
  context: Context,
  root: string,
  paths: readonly string[],
  isOffline: boolean,
): Promise<Selection> {
  const workspace = isOffline ? undefined : workspaceAt(root, context);
  const known = workspace ?? knownVals(root, context.settings, undefined);
  const items =
    paths.length === 0 ? await allItems(context, known) : await chosenItems(context, known, paths);
  return { workspace, items };
}

async function allItems({ say }: Context, known: KnownVals): Promise<PushItem[]> {
  const vals = await selectForPush(known, say);
  return vals.map((val) => {
    const file = pathTo(known, val.file);
    const read = async () => {
      const code = readBelow(known.root, val.file, file);
      return code === undefined ? undefined : checkNotEmpty(file, code, 'list the file in .valsignore');
    };
    return { order: 0, file, name: val.name, val, canReadAgain: true, read };
  });
}

async function chosenItems(
  context: Context,
  known: KnownVals,
  words: readonly string[],
): Promise<PushItem[]> {
  const isInOtherProject = createNestedProjectCheck(known.root);
  const reasonNotToPush = createFileCheck(known, context.say.warn);
  const paths = words.map((word) => pathOf(known, word, { isInOtherProject, reasonNotToPush }));
  const found = await collectFiles(paths, context);
  refuseOtherProjects(known, found, isInOtherProject);
  const files = withoutInvalidPaths(context, known, found);
  const items = files.map((found) => chosenItem(context, known, found));
  refuseSameNames(items);
  return items;
}

interface FileChecks {
  isInOtherProject(file: string): boolean;
  reasonNotToPush: FileCheck;
}

/** The word is a path, or the name or the id of a val. The path of a val counts even if its file does not exist. */
export function pathOf(
  known: KnownVals,
  word: string,
  { isInOtherProject, reasonNotToPush }: FileChecks,
): string {
  if (pathExists(known.cwd, word)) return word;
  const val = findVal(known, word);
  if (val === undefined) return word;
  const path = pathTo(known, val.file);
  if (fileBelow(known, word) === val.file) return path;
  // A vals.json from somebody else may give a harmless name to an ignored file.
  if (isInOtherProject(val.file)) throw inOtherProject(path, 'push');
  const reason = reasonNotToPush(val);
  if (reason !== undefined) throw pathNeeded(word, path, reason);
  return path;
}

const pathNeeded = (word: string, path: string, reason: string): UsageError =>
  new UsageError(`The val "${word}" was not pushed, because its file ${path} is ${reason}.`, {
    hint: { text: 'To push the file by its path', command: 'push', input: { paths: [path] } },
  });

function refuseOtherProjects(
  known: KnownVals,
  files: readonly FoundFile[],
  isInOtherProject: FileChecks['isInOtherProject'],
): void {
  const inOther = files.find(({ file }) => {
    const path = pathBelowRoot(known, file);
    return path !== undefined && isInOtherProject(path);
  });
  if (inOther !== undefined) throw inOtherProject(inOther.file, 'push');
}

/**
 * vals.json cannot list a file with an invalid path. So a push of the file would overwrite the val of the same name
 * without a comparison.
 */
function withoutInvalidPaths({ say }: Context, known: KnownVals, files: readonly FoundFile[]): FoundFile[] {
  return files.filter(({ file, inFolder }) => {
    const path = pathBelowRoot(known, file);
    const problem = path === undefined ? undefined : pathProblem(path);
    if (problem === undefined) return true;
    const isNamedByUser = inFolder === undefined;
    if (isNamedByUser) throw invalidPath(file, problem);
    say.warn(`${file} was not pushed, because its path ${problem}.`);
    return false;
  });
}

const invalidPath = (file: string, problem: string): LocalError =>
  new LocalError(`${file} cannot be pushed in this workspace, because its path ${problem}.`, {
    hint: [
      'Rename the file or its folder.',
      { text: 'To give the name of the val', command: 'push', input: { paths: [file], name: true } },
    ],
  });

function chosenItem(context: Context, known: KnownVals, found: FoundFile): PushItem {
  const untracked = untrackedItem(context, found);
  const file = pathBelowRoot(known, found.file);
  if (file === undefined) return untracked;
  const val = trackedOrNewVal(known, file);
  const read = async () => {
    const code = readBelow(known.root, val.file, found.file);
    // If the file does not exist, `untracked.read` throws an error that says so.
    return code === undefined ? untracked.read() : checkNotEmpty(found.file, code);
  };
  return { ...untracked, name: val.name, val, canReadAgain: true, read };
}

export function trackedOrNewVal(known: KnownVals, file: string): WorkspaceVal {
  const val = valOfFile(known, file);
  if (val !== undefined) return val;
  const name = nameFrom(file);
  const other = known.vals.ofName(name);
  if (other !== undefined) throw sameName(pathTo(known, other.file), { file: pathTo(known, file), name });
  return { file, name, id: undefined };
}
