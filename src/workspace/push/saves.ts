// Watches a folder, and tells which of its files are saved.
import { type FSWatcher, watch } from 'chokidar';
import { createIgnoreRules, isIgnoreFile } from '../../core/files/ignoring.ts';
import { createFolderFilter, isCode } from '../../core/files/walk.ts';
import { relativeTo, type Workspace } from '../workspace.ts';

export interface Saves {
  close(): Promise<void>;
}

interface SaveEvents {
  /** The path below the root. An editor may write a file several times for one save. */
  onSave(file: string): void;
  /** Which files count is to be found out anew. */
  onIgnoreFile(): void;
  onError(error: unknown): void;
}

/** Folders that are ignored are not watched, so after a change of the ignore files the watch begins anew. */
export async function watchSaves(
  { root }: Pick<Workspace, 'root'>,
  { onSave, onIgnoreFile, onError }: SaveEvents,
): Promise<Saves> {
  let watcher = await begin();
  let renewed = Promise.resolve();

  async function begin(): Promise<FSWatcher> {
    const isSkipped = createFolderFilter(root, createIgnoreRules(root));
    let isReady = false;
    const begun = watch(root, {
      followSymlinks: false,
      ignorePermissionErrors: true,
      ignored: (path, stats) =>
        stats !== undefined && (stats.isDirectory() ? isSkipped(path) : !isCode(path) && !isIgnoreFile(path)),
    });
    begun.on('all', (event, path) => {
      // Without this call, chokidar would miss files that are created before chokidar watches the new folder.
      if (event === 'addDir') begun.add(path);
      if (!isReady || !['add', 'change', 'unlink'].includes(event)) return;
      if (isIgnoreFile(path)) renewed = renewed.then(renew).catch(onError);
      else onSave(relativeTo({ root, cwd: root }, path));
    });
    begun.on('error', onError);
    await new Promise<void>((ready) => begun.once('ready', ready));
    isReady = true;
    return begun;
  }

  async function renew(): Promise<void> {
    const before = watcher;
    watcher = await begin();
    await before.close();
    onIgnoreFile();
  }

  return {
    async close() {
      await renewed;
      await watcher.close();
    },
  };
}
