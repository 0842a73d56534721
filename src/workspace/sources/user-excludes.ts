// The ignore file that a user has for all repositories (`core.excludesFile`).
import { spawnSync } from 'node:child_process';
import { isAbsolute, join, parse, resolve } from 'node:path';
import { gitFolderOf, textIn } from '../disk/git-folder.ts';
import { gitEnvironment } from '../git/program.ts';

/** Undefined if the user has none. `top` is the folder with .git. */
export function userExcludesFile(top: string, env: NodeJS.ProcessEnv): string | undefined {
  const set = mayBeSet(top, env) ? settingOf(top, env) : undefined;
  if (set === '') return undefined;
  if (set !== undefined) return resolve(top, set);
  const folder = configFolder(env);
  return folder === undefined ? undefined : join(folder, 'git', 'ignore');
}

const pattern = /excludesfile|\[\s*include|^include/i;

/** Most users have no such setting. Reading their settings takes less time than starting git. */
function mayBeSet(top: string, env: NodeJS.ProcessEnv): boolean {
  const inEnvironment = Object.entries(env).some(
    ([name, value = '']) => /^GIT_CONFIG_(?:KEY_|PARAMETERS$)/.test(name) && pattern.test(value),
  );
  if (inEnvironment) return true;
  const folder = configFolder(env);
  const home = homeOf(env);
  const repository = gitFolderOf(top);
  const files = [
    '/etc/gitconfig',
    ...[env.GIT_CONFIG_SYSTEM ?? '', env.GIT_CONFIG_GLOBAL ?? ''].filter(isAbsolute),
    ...(home === undefined ? [] : [join(home, '.gitconfig')]),
    ...(folder === undefined ? [] : [join(folder, 'git', 'config')]),
    ...(repository === undefined
      ? []
      : [join(repository.common, 'config'), join(repository.own, 'config.worktree')]),
  ];
  return files.some((file) => pattern.test(textIn(file)));
}

/** Undefined if it is not set, or if git cannot be asked. */
function settingOf(top: string, env: NodeJS.ProcessEnv): string | undefined {
  const args = ['-C', top, 'config', '-z', '--type=path', '--get', 'core.excludesFile'];
  const { status, stdout } = spawnSync('git', args, {
    // As for other questions to git, the current folder must not be the repository.
    cwd: parse(top).root,
    env: gitEnvironment(env, top),
    encoding: 'utf8',
    stdio: ['ignore', 'pipe', 'ignore'],
    timeout: 5_000,
    windowsHide: true,
  });
  return status === 0 ? stdout.replace(/\0$/, '') : undefined;
}

function configFolder(env: NodeJS.ProcessEnv): string | undefined {
  const home = homeOf(env);
  return env.XDG_CONFIG_HOME || (home === undefined ? undefined : join(home, '.config'));
}

function homeOf({ HOME, USERPROFILE }: NodeJS.ProcessEnv): string | undefined {
  const home = HOME || USERPROFILE;
  return home !== undefined && isAbsolute(home) ? home : undefined;
}
