// Plans a push: which files are sent, as which vals, with which code. All are checked before any is sent.
import { join, relative } from 'node:path';
import { noneBegun } from '../../cli/batch.ts';
import type { Context } from '../../cli/context.ts';
import { LocalError, UsageError, type ValsError } from '../../errors.ts';
import type { OutcomesResult } from '../../terminal/result.ts';
import { readBelow } from '../../workspace/disk/files.ts';
import { findRoot } from '../../workspace/disk/root.ts';
import { followMoves } from '../../workspace/moved.ts';
import { selectForPush } from '../../workspace/select.ts';
import { notEmpty, readCode } from '../../workspace/sources/read-text.ts';
import {
  collectFiles,
  type Found,
  isPath,
  nameFrom,
  readFound,
  refuseTwins,
  type Source,
} from '../../workspace/sources/walk.ts';
import { checkName, checkSizes } from '../../workspace/sources/warnings.ts';
import type { WorkspaceVal } from '../../workspace/vals.ts';
import {
  fileBelow,
  findVal,
  type KnownVals,
  valOfFile,
  valsOf,
  type Workspace,
  workspaceAt,
} from '../../workspace/workspace.ts';

export interface PushItem extends Source {
  /** The val of the workspace, if the file is in one. */
  val?: WorkspaceVal;
  /** Undefined if the file is gone, and the user did not name it. */
  read(): Promise<string | undefined>;
  /** A pipe and standard input can be read only once. */
  canReadAgain: boolean;
}

export interface PushPlan {
  /** Undefined outside of a workspace, and if the push does not use the workspace. */
  workspace: Workspace | undefined;
  items: PushItem[];
}

export interface PlanOptions {
  paths: readonly string[];
  name: string | undefined;
  /** Nothing will be compared or sent, so no service has to be chosen. */
  namesOnly: boolean;
}

/** The fields that identify an item in its outcome. */
export const describe = ({ file, name }: Source) => ({ file, name });

/** Words for the messages about failures. */
export const pushed = { verb: 'pushed', things: 'vals' };
export const label = ({ file }: Source) => file;

export async function planPush(context: Context, options: PlanOptions): Promise<PushPlan> {
  const { paths, name, namesOnly } = options;
  if (paths.includes('')) {
    throw new UsageError('A path is empty.', {
      hint: 'Check for an unset variable. Name a file or a folder; . is the current folder.',
    });
  }
  const root = name === undefined ? findRoot(context.settings) : undefined;
  if (paths.length === 0 && root === undefined) {
    throw new UsageError('No path was given.', {
      hint: 'Name files or folders: `vals push hello.ts`. After `vals init`, `vals push` alone sends all changed files.',
    });
  }
  if (name !== undefined) return { workspace: undefined, items: await oneItem(context, paths, name) };
  if (paths.includes('-')) {
    throw new UsageError('Code from standard input needs a name.', {
      hint: 'Add it: `vals push - --name hello`.',
    });
  }
  if (root !== undefined) return planInWorkspace(context, root, paths, namesOnly);
  const files = await collectFiles(paths, context);
  const items = files.map((found) => plainItem(context, found));
  refuseTwins(items);
  return { workspace: undefined, items };
}

async function planInWorkspace(
  context: Context,
  root: string,
  paths: readonly string[],
  namesOnly: boolean,
): Promise<PushPlan> {
  const { settings, say } = context;
  const workspace = namesOnly ? undefined : await followMoves(workspaceAt(root, context), context);
  const known: KnownVals = workspace ?? { root, cwd: settings.cwd, vals: valsOf(root, '') };
  const readFile = (val: WorkspaceVal, file: string) => {
    const code = readBelow(root, val.file);
    return code === undefined ? undefined : notEmpty(file, code);
  };
  if (paths.length === 0) {
    const vals = await selectForPush(known, say);
    const items = vals.map((val) => {
      const { file, name } = val;
      return { file, name, val, canReadAgain: true, read: async () => readFile(val, file) };
    });
    return { workspace, items };
  }
  const pathOf = (word: string) => {
    const named = isPath(known.cwd, word) ? undefined : findVal(known, word);
    return named === undefined ? word : relative(known.cwd, join(root, named.file));
  };
  const files = await collectFiles(paths.map(pathOf), context);
  const items = files.map((found): PushItem => {
    const plain = plainItem(context, found);
    const file = fileBelow(known, found.file);
    if (file === undefined) return plain;
    const val = valFor(file, known);
    const read = async () => readFile(val, found.file) ?? plain.read();
    return { ...plain, name: val.name, val, canReadAgain: true, read };
  });
  refuseTwins(items);
  return { workspace, items };
}

async function oneItem(context: Context, paths: readonly string[], name: string): Promise<PushItem[]> {
  if (paths.length > 1) {
    throw new UsageError('--name takes only one path.', { hint: 'Push the paths one by one.' });
  }
  const files = await collectFiles(paths, context);
  if (files.length > 1) {
    throw new UsageError(`--name takes only one file, but ${paths[0]} has ${files.length}.`, {
      hint: 'Name one of these files.',
    });
  }
  return files.map((file) => ({ ...plainItem(context, file), name }));
}

const plainItem = (context: Context, { file, found }: Found): PushItem => ({
  file,
  name: nameFrom(file),
  canReadAgain: found !== undefined,
  read: async () => (found ? readFound(file, found) : readCode(file, context)),
});

/** The file's val in vals.json, or the val that a push would make of it. */
export function valFor(file: string, workspace: KnownVals): WorkspaceVal {
  const known = valOfFile(workspace, file);
  if (known !== undefined) return known;
  const name = nameFrom(file);
  const sameName = workspace.vals.ofName(name);
  if (sameName !== undefined) refuseTwins([sameName, { file, name }]);
  return { file, name, id: undefined };
}

/** How many characters of code are kept in memory. Other files are read again when they are sent. */
const mostKept = 8 * 1024 * 1024;

/** Reads and checks all items. If one cannot be read, returns outcomes instead, and nothing is sent. */
export async function checkAll(
  { say }: Context,
  items: readonly PushItem[],
  onFailure: (item: PushItem, error: ValsError) => void,
): Promise<PushItem[] | OutcomesResult> {
  const checked: PushItem[] = [];
  const warnings: string[] = [];
  const failures = new Map<PushItem, ValsError>();
  let kept = 0;
  for (const item of items) {
    try {
      const code = await item.read();
      if (code !== undefined) {
        checkName(item.name, (warning) => warnings.push(warning));
        checkSizes({ code }, item.file, (warning) => warnings.push(warning));
      }
      const length = code?.length ?? 0;
      const isKept = kept + length <= mostKept || !item.canReadAgain;
      if (isKept) kept += length;
      checked.push(isKept ? withCode(item, code) : item);
    } catch (error) {
      if (!(error instanceof LocalError)) throw error;
      failures.set(item, error);
      onFailure(item, error);
    }
  }
  if (failures.size > 0) return noneBegun(items, failures, { describe, report: { label, say, ...pushed } });
  for (const warning of warnings) say.warn(warning);
  return checked;
}

/** Not inline: a closure created in the loop would keep the code of every file in memory. */
const withCode = (item: PushItem, code: string | undefined): PushItem => ({
  ...item,
  read: async () => code,
});
