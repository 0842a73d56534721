import type { Stats } from 'node:fs';
import { type FSWatcher, watch } from 'chokidar';
import { createIgnoreRules, isIgnoreFile } from '../../core/files/ignoring.ts';
import { createFolderFilter, isCode } from '../../core/files/walk.ts';
import type { Clock } from '../../core/lib/clock.ts';
import { relativeTo, type Workspace } from '../workspace.ts';

export interface Saves {
  close(): Promise<void>;
}

const debounceMs = 100;

const reportedBeforeRestartMs = 1_000;

export async function watchSaves(
  { root }: Pick<Workspace, 'root'>,
  clock: Clock,
  onSave: (file: string) => void,
  onError: (error: unknown) => void,
): Promise<Saves> {
  const { debounce, cancelAll } = createDebounce(clock);

  async function begin(savedSince?: number): Promise<FSWatcher> {
    const isSkipped = createFolderFilter(root, createIgnoreRules(root));
    let hasBegun = false;
    const watcher = watch(root, {
      followSymlinks: false,
      ignorePermissionErrors: true,
      ignored: (path, stats) =>
        stats !== undefined && (stats.isDirectory() ? isSkipped(path) : !isCode(path) && !isIgnoreFile(path)),
    });
    watcher.on('all', (event, path, stats?: Stats) => {
      // Without this call, chokidar would miss files that are created before chokidar watches the new folder.
      if (event === 'addDir') watcher.add(path);
      if (event !== 'add' && event !== 'change' && event !== 'unlink') return;
      if (isIgnoreFile(path)) {
        if (hasBegun) debounce(path, () => renew(clock.now() - reportedBeforeRestartMs));
        return;
      }
      const isRecent = savedSince !== undefined && stats !== undefined && stats.mtimeMs > savedSince;
      if (!hasBegun && !isRecent) return;
      const file = relativeTo({ root, cwd: root }, path);
      debounce(file, () => onSave(file));
    });
    watcher.on('error', onError);
    await new Promise<void>((ready) => watcher.once('ready', ready));
    hasBegun = true;
    return watcher;
  }

  let watcher = await begin();
  let renewed = Promise.resolve();
  function renew(savedSince: number): void {
    renewed = renewed
      .then(async () => {
        const before = watcher;
        watcher = await begin(savedSince);
        await before.close();
      })
      .catch(onError);
  }

  return {
    async close() {
      cancelAll();
      await renewed;
      await watcher.close();
    },
  };
}

/** An editor may write a file several times for one save. */
function createDebounce(clock: Clock) {
  const pending = new Map<string, () => void>();
  return {
    debounce(file: string, act: () => void): void {
      pending.get(file)?.();
      const cancel = clock.after(debounceMs, () => {
        pending.delete(file);
        act();
      });
      pending.set(file, cancel);
    },
    cancelAll(): void {
      for (const cancel of pending.values()) cancel();
    },
  };
}
