import { isAbsolute, join, relative, resolve } from 'node:path';
import type { Context } from '../../cli/context.ts';
import { UsageError } from '../../errors.ts';
import { shell } from '../../lib/shell-command.ts';
import { pathProblem } from '../../workspace/disk/file-names.ts';
import { readBelow } from '../../workspace/disk/files.ts';
import { followMoves } from '../../workspace/moved.ts';
import { createFileCheck, selectForPush } from '../../workspace/select.ts';
import { checkNotEmpty } from '../../workspace/sources/read-text.ts';
import {
  collectFiles,
  type FoundFile,
  isPath,
  nameFrom,
  refuseSameNames,
  sameName,
} from '../../workspace/sources/walk.ts';
import type { WorkspaceVal } from '../../workspace/vals.ts';
import {
  fileBelow,
  findByFile,
  findVal,
  type KnownVals,
  relativeTo,
  valOfFile,
  valsOf,
  workspaceAt,
} from '../../workspace/workspace.ts';
import { type PushItem, type PushPlan, untrackedItem } from './item.ts';

export async function planInWorkspace(
  context: Context,
  root: string,
  paths: readonly string[],
  listsNamesOnly: boolean,
): Promise<PushPlan> {
  const workspace = listsNamesOnly ? undefined : await followMoves(workspaceAt(root, context), context);
  const known = workspace ?? { root, cwd: context.settings.cwd, vals: valsOf(root, undefined) };
  const items =
    paths.length === 0 ? await allItems(context, known) : await chosenItems(context, known, paths);
  return { workspace, items };
}

async function allItems({ say }: Context, known: KnownVals): Promise<PushItem[]> {
  const vals = await selectForPush(known, say);
  return vals.map((val) => {
    const { file, name } = val;
    const read = async () => readBelowRoot(known, val, file, 'list the file in .valsignore');
    return { file, name, val, isTyped: false, canReadAgain: true, read };
  });
}

async function chosenItems(
  context: Context,
  known: KnownVals,
  words: readonly string[],
): Promise<PushItem[]> {
  const { paths, typedFiles } = pathsFor(context, known, words);
  const files = await collectFiles(paths, context);
  const items = files
    .filter((found) => !isLeftOut(context, known, found))
    .map((found) => chosenItem(context, known, found, typedFiles));
  refuseSameNames(items);
  return items;
}

/** Each word is a path or the name of a val. `typedFiles` has the words that are paths. */
function pathsFor(
  context: Context,
  known: KnownVals,
  words: readonly string[],
): { paths: string[]; typedFiles: ReadonlySet<string> } {
  const { root, cwd } = known;
  const reasonAgainst = createFileCheck(known, context.say.warn);
  const typedFiles = new Set<string>();
  const paths = words.map((word) => {
    const val = isPath(cwd, word) ? undefined : findVal(known, word);
    const path = val === undefined ? word : relative(cwd, join(root, val.file));
    if (val === undefined || findByFile(known, word) !== undefined) {
      typedFiles.add(resolve(cwd, path));
      return path;
    }
    const reason = reasonAgainst(val);
    if (reason !== undefined) throw pathNeeded(word, val, path, reason);
    return path;
  });
  return { paths, typedFiles };
}

const pathNeeded = (word: string, { file }: WorkspaceVal, path: string, reason: string): UsageError =>
  new UsageError(`"${word}" was not pushed, because its file ${file} is ${reason}.`, {
    hint: `To push the file, give its path: ${shell`vals push ${path}`}.`,
  });

/** vals.json cannot list a file with an invalid path, so a push of the file would overwrite any val of its name. */
function isLeftOut({ say }: Context, known: KnownVals, { file, inFolder }: FoundFile): boolean {
  const below = relativeTo(known, file);
  const problem = below.startsWith('../') || isAbsolute(below) ? undefined : pathProblem(below);
  if (inFolder === undefined || problem === undefined) return false;
  say.warn(`${file} was left out: its path ${problem}.`);
  return true;
}

function chosenItem(
  context: Context,
  known: KnownVals,
  found: FoundFile,
  typedFiles: ReadonlySet<string>,
): PushItem {
  const isTyped = typedFiles.has(resolve(known.cwd, found.file));
  const untracked = { ...untrackedItem(context, found), isTyped };
  const file = fileBelow(known, found.file);
  if (file === undefined) return untracked;
  const val = knownOrNewVal(known, file);
  const read = async () => {
    const code = readBelowRoot(known, val, found.file);
    // The user named this file. If the file does not exist, `untracked.read` throws an error that says so.
    return code ?? untracked.read();
  };
  return { ...untracked, name: val.name, val, canReadAgain: true, read };
}

function readBelowRoot(
  { root }: KnownVals,
  val: WorkspaceVal,
  path: string,
  wayOut?: string,
): string | undefined {
  const code = readBelow(root, val.file);
  return code === undefined ? undefined : checkNotEmpty(path, code, wayOut);
}

export function knownOrNewVal(known: KnownVals, file: string): WorkspaceVal {
  const val = valOfFile(known, file);
  if (val !== undefined) return val;
  const name = nameFrom(file);
  const other = known.vals.ofName(name);
  if (other !== undefined) throw sameName(other.file, { file, name });
  return { file, name, id: undefined };
}
