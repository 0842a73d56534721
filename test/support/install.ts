import { cp, mkdir, readdir, stat, symlink } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { execa } from 'execa';
import { environment, type RunOptions, temporaryFolder } from './program.ts';

export async function install() {
  const folder = temporaryFolder();
  const filter = (path: string) => !path.includes('.compiled');
  for (const part of ['bin', 'dist']) await cp(part, join(folder, part), { recursive: true, filter });
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
    async compiled() {
      const names = (await readdir(join(folder, 'dist'))).filter((name) => name.includes('.compiled')).sort();
      return Promise.all(
        names.map(async (name) => ({ name, mtimeMs: (await stat(join(folder, 'dist', name))).mtimeMs })),
      );
    },
  };
}
