// Notices when one of the files that a val was made of is saved, however an editor does it.
import { dirname, resolve } from 'node:path';
import { watch } from 'chokidar';
import type { Clock } from '../lib/clock.ts';

export interface Changes {
  /** These files from now on, beside those before. */
  follow(files: readonly string[]): void;
  close(): Promise<void>;
}

/** An editor may touch a file several times for one save. */
const settledAfterMs = 100;

/** Resolves once every further save will be noticed. */
export async function watchFiles(
  files: readonly string[],
  clock: Clock,
  onChange: () => void,
): Promise<Changes> {
  const followed = new Set(files);
  // A file that is put in the place of another, or comes back, is seen only by who watches the folder.
  const watcher = watch(files.map(dirname), { ignoreInitial: true, ignorePermissionErrors: true, depth: 0 });
  let cancel = () => {};
  watcher.on('all', (_event, path) => {
    if (!followed.has(resolve(path))) return;
    cancel();
    cancel = clock.after(settledAfterMs, onChange);
  });
  watcher.on('error', () => {});
  if (files.length > 0) await new Promise<void>((ready) => watcher.once('ready', ready));
  return {
    follow(more) {
      const folders = new Set([...followed].map(dirname));
      watcher.add([...new Set(more.map(dirname))].filter((folder) => !folders.has(folder)));
      for (const file of more) followed.add(file);
    },
    async close() {
      cancel();
      await watcher.close();
    },
  };
}
