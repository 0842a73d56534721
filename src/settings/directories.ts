// Where this platform keeps a program's settings and data.
import { homedir } from 'node:os';
import { join, resolve } from 'node:path';

export interface Directories {
  config: string;
  data: string;
}

export function platformDirectories(env: NodeJS.ProcessEnv, platform = process.platform): Directories {
  const home = homedir();
  if (platform === 'win32') {
    return {
      config: join(env.APPDATA || join(home, 'AppData', 'Roaming'), 'vals'),
      data: join(env.LOCALAPPDATA || join(home, 'AppData', 'Local'), 'vals'),
    };
  }
  if (platform === 'darwin') {
    return {
      config: join(home, 'Library', 'Preferences', 'vals'),
      data: join(home, 'Library', 'Application Support', 'vals'),
    };
  }
  return {
    config: resolve(home, env.XDG_CONFIG_HOME || '.config', 'vals'),
    data: resolve(home, env.XDG_DATA_HOME || '.local/share', 'vals'),
  };
}
