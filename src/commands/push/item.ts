import { resolve } from 'node:path';
import type { Context } from '../../cli/context.ts';
import { existingStats } from '../../lib/paths.ts';
import { readBelow } from '../../workspace/disk/files.ts';
import type { SelectedVal } from '../../workspace/select.ts';
import { checkNotEmpty, readCode } from '../../workspace/sources/read-text.ts';
import type { NamedFile } from '../../workspace/sources/val-names.ts';
import { type FoundFile, readInFolder } from '../../workspace/sources/walk.ts';
import { pathTo, type Workspace } from '../../workspace/workspace.ts';

/** `file` is relative to the current folder, and `val.file` is relative to the workspace. */
export interface PushItem extends NamedFile {
  /** The workspace that the file belongs to. */
  workspace: Workspace | undefined;
  val?: SelectedVal;
  /** Resolves to undefined if the file does not exist and the user did not name the file. */
  read(): Promise<string | undefined>;
  /** A pipe and standard input can be read only once. */
  canReadAgain: boolean;
}

export function itemOfVal(workspace: Workspace, val: SelectedVal, wayOut?: string): PushItem {
  const file = pathTo(workspace, val.file);
  const read = async () => {
    const code = readBelow(workspace.root, val.file, file);
    return code === undefined ? undefined : checkNotEmpty(file, code, wayOut);
  };
  return { file, name: val.name, workspace, val, canReadAgain: true, read };
}

export const workspacesOf = (items: readonly PushItem[]): Set<Workspace> =>
  new Set(items.flatMap(({ workspace }) => workspace ?? []));

export type Readable = Pick<PushItem, 'file' | 'read' | 'canReadAgain'>;

export function readableFile(context: Context, { file, inFolder }: FoundFile): Readable {
  const isNamedByUser = inFolder === undefined;
  if (isNamedByUser) {
    const path = resolve(context.settings.cwd, file);
    const canReadAgain = file !== '-' && existingStats(path)?.isFile() === true;
    return { file, canReadAgain, read: async () => readCode(file, context) };
  }
  return { file, canReadAgain: true, read: async () => readInFolder(file, inFolder) };
}
