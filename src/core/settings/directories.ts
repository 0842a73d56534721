import { isAbsolute, join } from 'node:path';
import { homeDirectory, wordsOf } from '../lib/system.ts';

interface Directories {
  config: string | undefined;
  data: string | undefined;
  /** What can be made again at any time. */
  cache: string | undefined;
}

/**
 * Ignores relative paths. A relative path would lead into the working directory, and another user may own that folder.
 */
export function platformDirectories(env: NodeJS.ProcessEnv, platform: NodeJS.Platform): Directories {
  const home = env[wordsOf(platform).home] ?? homeDirectory();
  const valsFolder = (chosen: string | undefined, ...belowHome: string[]): string | undefined => {
    const folders = [chosen, join(home, ...belowHome)];
    const folder = folders.find((each) => each !== undefined && isAbsolute(each));
    return folder === undefined ? undefined : join(folder, 'vals');
  };
  switch (platform) {
    case 'win32':
      return {
        config: valsFolder(env.APPDATA, 'AppData', 'Roaming'),
        data: valsFolder(env.LOCALAPPDATA, 'AppData', 'Local'),
        cache: valsFolder(env.LOCALAPPDATA && join(env.LOCALAPPDATA, 'cache'), 'AppData', 'Local', 'cache'),
      };
    case 'darwin':
      return {
        config: valsFolder(undefined, 'Library', 'Preferences'),
        data: valsFolder(undefined, 'Library', 'Application Support'),
        cache: valsFolder(undefined, 'Library', 'Caches'),
      };
    default:
      return {
        config: valsFolder(env.XDG_CONFIG_HOME, '.config'),
        data: valsFolder(env.XDG_DATA_HOME, '.local', 'share'),
        cache: valsFolder(env.XDG_CACHE_HOME, '.cache'),
      };
  }
}
