// A copy of the program in a folder of its own, for tests that change what it is made of.
import { cp, mkdir, readdir, stat, symlink } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { execa } from 'execa';
import { environment, type RunOptions, temporaryFolder } from './program.ts';

/** A copy of the program, as it is after an install, or of such a copy. */
export async function install(from = '.') {
  const folder = temporaryFolder();
  await cp(join(from, 'bin'), join(folder, 'bin'), { recursive: true });
  // Other tests run it under flags, and what was compiled for those comes and goes.
  const filter = (path: string) =>
    !path.includes('.compiled') || path.endsWith(`.${process.version}-${process.arch}.compiled`);
  await cp(join(from, 'dist'), join(folder, 'dist'), { recursive: true, preserveTimestamps: true, filter });
  await symlink(resolve('node_modules'), join(folder, 'node_modules'));
  const home = join(folder, 'home');
  await mkdir(home);
  return {
    folder,
    async vals(words: readonly string[], env: RunOptions['env'] = {}): Promise<string> {
      const { stdout } = await execa(process.execPath, [join(folder, 'bin/vals.js'), ...words], {
        env: environment(home, env),
        extendEnv: false,
        cwd: home,
        stripFinalNewline: false,
      });
      return stdout;
    },
    /** The main program's alone: what others there are depends on what ran. */
    async compiled() {
      const names = (await readdir(join(folder, 'dist'))).filter((name) => name.includes('.compiled')).sort();
      return Promise.all(
        names.map(async (name) => ({ name, mtimeMs: (await stat(join(folder, 'dist', name))).mtimeMs })),
      );
    },
  };
}
