// Notices when one of the files that a val was made of is saved, however an editor does it.
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
  const watcher = watch([...files], { ignoreInitial: true, ignorePermissionErrors: true });
  let cancel = () => {};
  watcher.on('all', () => {
    cancel();
    cancel = clock.after(settledAfterMs, onChange);
  });
  watcher.on('error', () => {});
  await new Promise<void>((ready) => watcher.once('ready', ready));
  return {
    follow: (more) => void watcher.add([...more]),
    async close() {
      cancel();
      await watcher.close();
    },
  };
}
