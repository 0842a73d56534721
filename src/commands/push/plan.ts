import type { Context } from '../../cli/context.ts';
import { UsageError } from '../../errors.ts';
import { findRoot } from '../../workspace/disk/root.ts';
import { collectFiles, refuseSameNames } from '../../workspace/sources/walk.ts';
import { type PushItem, type Selection, untrackedItem } from './item.ts';
import { planInWorkspace } from './plan-workspace.ts';

export interface PlanOptions {
  paths: readonly string[];
  name: string | undefined;
  isOffline: boolean;
}

export async function selectFiles(context: Context, options: PlanOptions): Promise<Selection[]> {
  const { paths, name, isOffline } = options;
  const root = name === undefined ? findRoot(context.settings.cwd) : undefined;
  if (paths.length === 0 && root === undefined) {
    throw new UsageError('No path was given, and this folder is not in a workspace.', {
      hint: [
        { text: 'To push a file', command: 'push', input: { paths: ['hello.ts'] } },
        { text: 'To make this folder a workspace', command: 'init' },
      ],
    });
  }
  if (name === undefined && paths.includes('-')) {
    throw new UsageError('Code from standard input needs a name.', {
      hint: { text: 'To give it a name', command: 'push', input: { paths: ['-'], name: 'hello' } },
    });
  }
  if (root !== undefined) return [await planInWorkspace(context, root, paths, isOffline)];
  const items =
    name === undefined ? await untrackedItems(context, paths) : await itemWithName(context, paths, name);
  return [{ workspace: undefined, items }];
}

async function untrackedItems(context: Context, paths: readonly string[]): Promise<PushItem[]> {
  const files = await collectFiles(paths, context);
  const items = files.map((file) => untrackedItem(context, file));
  refuseSameNames(items);
  return items;
}

async function itemWithName(context: Context, paths: readonly string[], name: string): Promise<PushItem[]> {
  if (paths.length > 1) {
    throw new UsageError('--name works with only one path, but several paths were given.', {
      hint: 'Push one path at a time, each with its own name.',
    });
  }
  const files = await collectFiles(paths, context);
  if (files.length > 1) {
    throw new UsageError(`--name takes only one file, but ${paths[0]} has ${files.length} files.`, {
      hint: 'Give the path of one file.',
    });
  }
  return files.map((file) => ({ ...untrackedItem(context, file), name }));
}
