import fs, { mkdirSync, writeFileSync } from 'node:fs';
import { syncBuiltinESMExports } from 'node:module';
import { basename, join } from 'node:path';
import { it, onTestFinished } from 'vitest';
import { watchSaves } from '../../src/workspace/push/saves.ts';
import { temporaryFolder } from '../support/program.ts';
import { withResolvers } from '../support/with-resolvers.ts';

function beforeWatching(name: string, act: (folder: string) => void): void {
  const { watch } = fs;
  const restore = () => {
    fs.watch = watch;
    syncBuiltinESMExports();
  };
  fs.watch = ((path: string, ...rest: []) => {
    if (basename(path) === name) act(path);
    return watch(path, ...rest);
  }) as typeof watch;
  syncBuiltinESMExports();
  onTestFinished(restore);
}

it('push --watch sends a file that is made after its new folder was read and before the folder is watched', async () => {
  const root = temporaryFolder();
  beforeWatching('sub', (folder) => writeFileSync(join(folder, 'new.ts'), 'new'));
  const { promise: saved, resolve: noteSaved } = withResolvers();
  const { close } = await watchSaves(
    { root },
    {
      onSave(file) {
        if (file === 'sub/new.ts') noteSaved();
      },
      onIgnoreFile() {},
      onError(error) {
        throw error;
      },
    },
  );
  onTestFinished(close);
  mkdirSync(join(root, 'sub'));
  await saved;
});
