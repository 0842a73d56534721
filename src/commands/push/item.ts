import { resolve } from 'node:path';
import type { Context } from '../../cli/context.ts';
import { existingStats } from '../../lib/paths.ts';
import type { SelectedVal } from '../../workspace/select.ts';
import { readCode } from '../../workspace/sources/read-text.ts';
import { type FoundFile, nameFrom, readInFolder, type Source } from '../../workspace/sources/walk.ts';
import type { Workspace } from '../../workspace/workspace.ts';

/** `file` is relative to the current folder, and `val.file` is relative to the workspace. */
export interface PushItem extends Source {
  /** The place of the file among all files of the push. */
  order: number;
  val?: SelectedVal;
  /** Resolves to undefined if the file does not exist and the user did not name the file. */
  read(): Promise<string | undefined>;
  /** A pipe and standard input can be read only once. */
  canReadAgain: boolean;
}

export interface Selection {
  /** Undefined outside of a workspace, with --name, and for a dry run that sends no request. */
  workspace: Workspace | undefined;
  items: PushItem[];
}

export function untrackedItem(context: Context, { file, inFolder }: FoundFile): PushItem {
  const name = nameFrom(file);
  const isNamedByUser = inFolder === undefined;
  if (isNamedByUser) {
    const path = resolve(context.settings.cwd, file);
    const canReadAgain = file !== '-' && existingStats(path)?.isFile() === true;
    return { order: 0, file, name, canReadAgain, read: async () => readCode(file, context) };
  }
  return { order: 0, file, name, canReadAgain: true, read: async () => readInFolder(file, inFolder) };
}
