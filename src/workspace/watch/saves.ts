// Notices when code files below the root are saved, created or deleted, no matter how the editor writes them.
import type { Stats } from 'node:fs';
import { type FSWatcher, watch } from 'chokidar';
import type { Clock } from '../../lib/clock.ts';
import { type IgnoreFiles, isIgnoreFile } from '../sources/ignoring.ts';
import { createFolderFilter, isCode } from '../sources/walk.ts';
import { fileBelow } from '../workspace.ts';

export interface Saves {
  close(): Promise<void>;
}

/** A save is reported after this pause, because an editor may write, delete and rename a file for one save. */
const debounceMs = 100;

/** When a folder is no longer ignored, a file in the folder counts as saved if it was saved this recently. */
const savedBeforeMs = 1_000;

/** Resolves when the watcher is ready. Ignored folders are not watched, but ignored files are. */
export async function watchSaves(
  root: string,
  clock: Clock,
  ignoreFiles: IgnoreFiles,
  onSave: (file: string) => void,
  onError: (error: unknown) => void,
): Promise<Saves> {
  const pending = new Map<string, () => void>();
  const debounce = (file: string, act: () => void) => {
    pending.get(file)?.();
    const cancel = clock.after(debounceMs, () => {
      pending.delete(file);
      act();
    });
    pending.set(file, cancel);
  };

  /** A file that exists when the watcher starts counts as saved only if it changed after `since`. */
  async function begin(since?: number): Promise<FSWatcher> {
    const isSkipped = createFolderFilter(root, ignoreFiles);
    let hasBegun = false;
    const watcher = watch(root, {
      followSymlinks: false,
      ignorePermissionErrors: true,
      // chokidar first calls this function without stats. Without stats it is unknown whether the path is a folder.
      ignored: (path, stats) =>
        stats !== undefined && (stats.isDirectory() ? isSkipped(path) : !isCode(path) && !isIgnoreFile(path)),
    });
    watcher.on('all', (event, path, stats?: Stats) => {
      // chokidar lists a new folder before it watches the folder, and would miss a file that is created in between.
      // Adding the folder again makes chokidar list the folder once more.
      if (event === 'addDir') watcher.add(path);
      if (event !== 'add' && event !== 'change' && event !== 'unlink') return;
      if (isIgnoreFile(path)) {
        if (hasBegun) debounce(path, () => renew(clock.now() - savedBeforeMs));
        return;
      }
      const isRecent = since !== undefined && stats !== undefined && stats.mtimeMs > since;
      if (!hasBegun && !isRecent) return;
      const file = fileBelow({ root, cwd: root }, path);
      if (file !== undefined) debounce(file, () => onSave(file));
    });
    watcher.on('error', onError);
    await new Promise<void>((ready) => watcher.once('ready', ready));
    hasBegun = true;
    return watcher;
  }

  let watcher = await begin();
  let renewed = Promise.resolve();
  /**
   * Starts a new watcher after an ignore file changed, because then other folders may be ignored. The old watcher is
   * closed when the new watcher is ready, so that no save is missed.
   */
  function renew(since: number): void {
    renewed = renewed
      .then(async () => {
        const before = watcher;
        watcher = await begin(since);
        await before.close();
      })
      .catch(onError);
  }

  return {
    async close() {
      for (const cancel of pending.values()) cancel();
      await renewed;
      await watcher.close();
    },
  };
}
