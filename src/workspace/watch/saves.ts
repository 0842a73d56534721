// Notices when code files below the root are saved, made or deleted, however an editor does it.
import { watch } from 'chokidar';
import type { Clock } from '../../lib/clock.ts';
import { createFilter } from '../sources/walk.ts';
import { fileBelow } from '../workspace.ts';

export interface Saves {
  close(): Promise<void>;
}

/** An editor may touch a file several times for one save: delete, create, write, rename. */
const settledAfterMs = 100;

/** Resolves once every further save will be noticed. */
export async function watchSaves(
  root: string,
  clock: Clock,
  onSave: (file: string) => void,
  onError: (error: unknown) => void,
): Promise<Saves> {
  const isPassedOver = createFilter(root);
  const settling = new Map<string, () => void>();
  const watcher = watch(root, {
    ignoreInitial: true,
    followSymlinks: false,
    ignorePermissionErrors: true,
    // Without stats nobody knows yet whether it is a folder.
    ignored: (path, stats) => stats !== undefined && isPassedOver(path, stats.isDirectory()),
  });
  watcher.on('all', (event, path) => {
    if (event !== 'add' && event !== 'change' && event !== 'unlink') return;
    const file = fileBelow(root, path);
    if (file === undefined || isPassedOver(path, false)) return;
    settling.get(file)?.();
    const settled = () => {
      settling.delete(file);
      onSave(file);
    };
    settling.set(file, clock.after(settledAfterMs, settled));
  });
  watcher.on('error', onError);
  await new Promise<void>((ready) => watcher.once('ready', ready));
  return {
    async close() {
      for (const cancel of settling.values()) cancel();
      await watcher.close();
    },
  };
}
