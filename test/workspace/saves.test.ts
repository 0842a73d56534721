import fs, { mkdirSync, writeFileSync } from 'node:fs';
import { syncBuiltinESMExports } from 'node:module';
import { basename, join } from 'node:path';
import { it, onTestFinished } from 'vitest';
import { watchSaves } from '../../src/workspace/push/saves.ts';
import { temporaryFolder } from '../support/program.ts';
import { withResolvers } from '../support/with-resolvers.ts';

it('push --watch sends a file that is made after its new folder was read and before the folder is watched', async () => {
  const root = temporaryFolder();
  const { watch } = fs;
  onTestFinished(() => {
    fs.watch = watch;
    syncBuiltinESMExports();
  });
  fs.watch = ((path: string, ...rest: []) => {
    if (basename(path) === 'sub') writeFileSync(join(path, 'new.ts'), 'new');
    return watch(path, ...rest);
  }) as typeof watch;
  syncBuiltinESMExports();
  const { promise: saved, resolve: noteSaved } = withResolvers();
  const onError = (error: unknown) => {
    throw error;
  };
  const onSave = (file: string) => void (file === 'sub/new.ts' && noteSaved());
  const { close } = await watchSaves({ root }, { onSave, onIgnoreFile() {}, onError });
  onTestFinished(close);
  mkdirSync(join(root, 'sub'));
  await saved;
});
