// The folders in which a platform keeps a program's settings and data.
import { homedir } from 'node:os';
import { isAbsolute, join } from 'node:path';

interface Directories {
  config: string | undefined;
  data: string | undefined;
}

/** An empty or relative path would lie in the working directory, so it counts as not set. */
export function platformDirectories(env: NodeJS.ProcessEnv, platform: NodeJS.Platform): Directories {
  const base = (chosen: string | undefined, ...belowHome: string[]): string | undefined =>
    [chosen, join(homeDirectory(env, platform), ...belowHome)].find(
      (folder) => folder !== undefined && isAbsolute(folder),
    );
  const ours = (folder: string | undefined) => folder && join(folder, 'vals');
  switch (platform) {
    case 'win32':
      return {
        config: ours(base(env.APPDATA, 'AppData', 'Roaming')),
        data: ours(base(env.LOCALAPPDATA, 'AppData', 'Local')),
      };
    case 'darwin':
      return {
        config: ours(base(undefined, 'Library', 'Preferences')),
        data: ours(base(undefined, 'Library', 'Application Support')),
      };
    default:
      return {
        config: ours(base(env.XDG_CONFIG_HOME, '.config')),
        data: ours(base(env.XDG_DATA_HOME, '.local', 'share')),
      };
  }
}

/** Empty if the system does not know this user, as in some containers. */
function homeDirectory(env: NodeJS.ProcessEnv, platform: NodeJS.Platform): string {
  try {
    return env[platform === 'win32' ? 'USERPROFILE' : 'HOME'] ?? homedir();
  } catch {
    return '';
  }
}
