import { cp, mkdir, readdir, stat, symlink } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { execa } from 'execa';
import { environment, type RunOptions, temporaryFolder } from './program.ts';

export async function install() {
  const folder = temporaryFolder();
  for (const part of ['bin', 'dist']) await cp(part, join(folder, part), { recursive: true });
  await symlink(resolve('node_modules'), join(folder, 'node_modules'));
  const home = join(folder, 'home');
  const cache = join(folder, 'cache');
  await mkdir(home);
  return {
    folder,
    cache,
    async vals(words: readonly string[], env: RunOptions['env'] = {}): Promise<string> {
      const { stdout } = await execa(process.execPath, [join(folder, 'bin/vals.js'), ...words], {
        env: environment(home, { XDG_CACHE_HOME: cache, ...env }),
        extendEnv: false,
        cwd: home,
        stripFinalNewline: false,
      });
      return stdout;
    },
    /** The files of bytecode. */
    async compiled() {
      const names = (await readdir(join(cache, 'vals')).catch(() => [])).sort();
      return Promise.all(
        names.map(async (name) => ({ name, mtimeMs: (await stat(join(cache, 'vals', name))).mtimeMs })),
      );
    },
  };
}
