// The ignore file that a user has for all repositories (`core.excludesFile`).
import { spawnSync } from 'node:child_process';
import { isAbsolute, join, parse, resolve } from 'node:path';
import { gitEnvironment } from '../../workspace/git/program.ts';

/** Undefined if the user has none. `top` is the folder with .git. */
export function userExcludesFile(top: string, env: NodeJS.ProcessEnv): string | undefined {
  const set = settingOf(top, env);
  if (set === '') return undefined;
  if (set !== undefined) return resolve(top, set);
  const home = [env.HOME, env.USERPROFILE].find((folder) => folder !== undefined && isAbsolute(folder));
  const folder = env.XDG_CONFIG_HOME || (home && join(home, '.config'));
  return folder && join(folder, 'git', 'ignore');
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
