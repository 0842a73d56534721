import { homedir } from 'node:os';
import { isAbsolute, join } from 'node:path';

interface Directories {
  config: string | undefined;
  data: string | undefined;
}

/**
 * Ignores an empty or relative path, because it would lead into the working directory, which may belong to a
 * stranger.
 */
export function platformDirectories(env: NodeJS.ProcessEnv, platform: NodeJS.Platform): Directories {
  const home = homeDirectory(env, platform);
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
      };
    case 'darwin':
      return {
        config: valsFolder(undefined, 'Library', 'Preferences'),
        data: valsFolder(undefined, 'Library', 'Application Support'),
      };
    default:
      return {
        config: valsFolder(env.XDG_CONFIG_HOME, '.config'),
        data: valsFolder(env.XDG_DATA_HOME, '.local', 'share'),
      };
  }
}

/** Some containers do not know their user, and then `homedir` throws. */
function homeDirectory(env: NodeJS.ProcessEnv, platform: NodeJS.Platform): string {
  try {
    return env[platform === 'win32' ? 'USERPROFILE' : 'HOME'] ?? homedir();
  } catch {
    return '';
  }
}
