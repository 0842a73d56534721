import fs, { mkdirSync, writeFileSync } from 'node:fs';
import { syncBuiltinESMExports } from 'node:module';
import { basename, join } from 'node:path';
import { it, onTestFinished } from 'vitest';
import { systemClock } from '../../src/lib/clock.ts';
import { createIgnoreFiles } from '../../src/workspace/sources/ignoring.ts';
import { watchSaves } from '../../src/workspace/watch/saves.ts';
import { temporaryFolder } from '../support/program.ts';

function beforeWatching(name: string, act: (folder: string) => void): void {
  const { watch } = fs;
  let isDone = false;
  const restore = () => {
    fs.watch = watch;
    syncBuiltinESMExports();
  };
  fs.watch = ((path: string, ...rest: []) => {
    if (basename(path) === name && !isDone) {
      isDone = true;
      act(path);
    }
    return watch(path, ...rest);
  }) as typeof watch;
  syncBuiltinESMExports();
  onTestFinished(restore);
}

function watching(root: string) {
  const saved: string[] = [];
  let noticed = () => {};
  const started = watchSaves(
    root,
    systemClock,
    createIgnoreFiles(() => {}),
    (file) => {
      saved.push(file);
      noticed();
    },
    (error) => {
      throw error;
    },
  );
  onTestFinished(async () => (await started).close());
  return {
    started,
    async until(file: string) {
      while (!saved.includes(file)) {
        await new Promise<void>((more) => {
          noticed = more;
        });
      }
    },
  };
}

it('push --watch sends a file that is made after its new folder was read and before the folder is watched', async () => {
  const root = temporaryFolder();
  beforeWatching('sub', (folder) => writeFileSync(join(folder, 'new.ts'), 'new'));
  const watch = watching(root);
  await watch.started;
  mkdirSync(join(root, 'sub'));
  await watch.until('sub/new.ts');
});

it('push --watch sends a file in a folder that is made while the watch begins', async () => {
  const root = temporaryFolder();
  mkdirSync(join(root, 'sub'));
  beforeWatching('sub', (folder) => mkdirSync(join(folder, 'deep')));
  const watch = watching(root);
  await watch.started;
  writeFileSync(join(root, 'sub/deep/new.ts'), 'new');
  await watch.until('sub/deep/new.ts');
});
