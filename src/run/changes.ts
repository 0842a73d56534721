// Notices when one of the files that a val was made of is saved, however an editor does it.
import { dirname, resolve } from 'node:path';
import { watch } from 'chokidar';
import type { Clock } from '../lib/clock.ts';

export interface Changes {
  /** This file from now on, beside those before. */
  follow(file: string): void;
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
  const folders = new Set(files.map(dirname));
  // A file that is put in the place of another, or comes back, is seen only by who watches the folder.
  const watcher = watch([...folders], { ignoreInitial: true, ignorePermissionErrors: true, depth: 0 });
  let cancel = () => {};
  watcher.on('all', (_event, path) => {
    if (!followed.has(resolve(path))) return;
    cancel();
    cancel = clock.after(settledAfterMs, onChange);
  });
  watcher.on('error', () => {});
  if (files.length > 0) await new Promise<void>((ready) => watcher.once('ready', ready));
  return {
    follow(file) {
      followed.add(file);
      const folder = dirname(file);
      if (!folders.has(folder)) watcher.add(folder);
      folders.add(folder);
    },
    async close() {
      cancel();
      await watcher.close();
    },
  };
}
