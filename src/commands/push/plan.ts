import { isAbsolute, join, relative, resolve } from 'node:path';
import type { Context } from '../../cli/context.ts';
import { UsageError } from '../../errors.ts';
import { shell } from '../../lib/shell-command.ts';
import { pathProblem } from '../../workspace/disk/file-names.ts';
import { readBelow } from '../../workspace/disk/files.ts';
import { findRoot } from '../../workspace/disk/root.ts';
import { followMoves } from '../../workspace/moved.ts';
import { createFileCheck, selectForPush } from '../../workspace/select.ts';
import { checkNotEmpty, readCode } from '../../workspace/sources/read-text.ts';
import {
  collectFiles,
  type FoundFile,
  isPath,
  nameFrom,
  readInFolder,
  refuseSameNames,
  type Source,
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
  type Workspace,
  workspaceAt,
} from '../../workspace/workspace.ts';

export interface PushItem extends Source {
  val?: WorkspaceVal;
  /** Resolves to undefined if the file does not exist and the user did not name the file. */
  read(): Promise<string | undefined>;
  /** Whether the user typed the path of the file itself, and not its folder or the name of its val. */
  isTyped: boolean;
  /** A pipe and standard input can be read only once. */
  canReadAgain: boolean;
}

export interface PushPlan {
  /** Undefined outside of a workspace, with --name, and if the push only lists names. */
  workspace: Workspace | undefined;
  items: PushItem[];
}

export interface PlanOptions {
  paths: readonly string[];
  name: string | undefined;
  /** Whether the push only lists the names of vals, which needs no service. */
  listsNamesOnly: boolean;
}

export async function planPush(context: Context, options: PlanOptions): Promise<PushPlan> {
  const { paths, name, listsNamesOnly } = options;
  if (paths.includes('')) {
    throw new UsageError('A path is empty.', {
      hint: 'A variable of the shell may be unset. Give a file or a folder, such as . for the current folder.',
    });
  }
  const root = name === undefined ? findRoot(context.settings) : undefined;
  if (paths.length === 0 && root === undefined) {
    throw new UsageError('No path was given, and this folder is not in a workspace.', {
      hint: 'To push a file, run `vals push hello.ts`. To make this folder a workspace, run `vals init`.',
    });
  }
  if (name === undefined && paths.includes('-')) {
    throw new UsageError('Code from standard input needs a name.', {
      hint: 'Add a name, such as `vals push - --name hello`.',
    });
  }
  if (root !== undefined) return planInWorkspace(context, root, paths, listsNamesOnly);
  const items =
    name === undefined ? await untrackedItems(context, paths) : await itemWithName(context, paths, name);
  return { workspace: undefined, items };
}

async function untrackedItems(context: Context, paths: readonly string[]): Promise<PushItem[]> {
  const files = await collectFiles(paths, context);
  const items = files.map((file) => untrackedItem(context, file));
  refuseSameNames(items);
  return items;
}

async function itemWithName(context: Context, paths: readonly string[], name: string): Promise<PushItem[]> {
  if (paths.length > 1) {
    throw new UsageError('--name takes only one path.', { hint: 'Push the paths one by one.' });
  }
  const files = await collectFiles(paths, context);
  if (files.length > 1) {
    throw new UsageError(`--name takes only one file, but ${paths[0]} has ${files.length} files.`, {
      hint: 'Give one of these files.',
    });
  }
  return files.map((file) => ({ ...untrackedItem(context, file), name }));
}

const untrackedItem = (context: Context, { file, inFolder }: FoundFile): PushItem => ({
  file,
  name: nameFrom(file),
  isTyped: inFolder === undefined,
  canReadAgain: inFolder !== undefined,
  read: async () => (inFolder ? readInFolder(file, inFolder) : readCode(file, context)),
});

async function planInWorkspace(
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
  const reasonAgainst = createFileCheck(known, context.say.warn);
  const typedFiles = new Set<string>();
  const paths = words.map((word) => {
    const val = isPath(known.cwd, word) ? undefined : findVal(known, word);
    const path = val === undefined ? word : relative(known.cwd, join(known.root, val.file));
    if (val === undefined || findByFile(known, word) !== undefined) {
      typedFiles.add(resolve(known.cwd, path));
      return path;
    }
    const reason = reasonAgainst(val);
    if (reason !== undefined) throw pathNeeded(word, val, path, reason);
    return path;
  });
  const files = (await collectFiles(paths, context)).filter((found) => !isLeftOut(found));
  const items = files.map((found): PushItem => {
    const untracked = {
      ...untrackedItem(context, found),
      isTyped: typedFiles.has(resolve(known.cwd, found.file)),
    };
    const file = fileBelow(known, found.file);
    if (file === undefined) return untracked;
    const val = knownOrNewVal(known, file);
    const read = async () => {
      const code = readBelowRoot(known, val, found.file);
      // The user named this file. If the file does not exist, `untracked.read` throws an error that says so.
      return code ?? untracked.read();
    };
    return { ...untracked, name: val.name, val, canReadAgain: true, read };
  });
  refuseSameNames(items);
  return items;

  /** vals.json cannot list a file with such a path, so a push of the file would overwrite any val of its name. */
  function isLeftOut({ file, inFolder }: FoundFile): boolean {
    const below = relativeTo(known, file);
    const problem = below.startsWith('../') || isAbsolute(below) ? undefined : pathProblem(below);
    if (inFolder === undefined || problem === undefined) return false;
    context.say.warn(`${file} was left out: its path ${problem}.`);
    return true;
  }
}

const pathNeeded = (word: string, { file }: WorkspaceVal, path: string, reason: string): UsageError =>
  new UsageError(`"${word}" is the val of ${file} in vals.json, and that file is ${reason}.`, {
    hint: `To push the file, give its path: ${shell`vals push ${path}`}.`,
  });

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
