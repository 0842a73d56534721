// A folder for everything that measuring leaves behind, gone at the end, and the environment that goes with it.
import { mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

/** @typedef {ReturnType<typeof createScratch>} Scratch */

export function createScratch() {
  const folder = mkdtempSync(join(tmpdir(), 'vals-bench-'));
  process.once('exit', () => rmSync(folder, { recursive: true, force: true }));
  process.once('SIGINT', () => process.exit(130));
  process.once('SIGTERM', () => process.exit(143));

  /** @param {string} name */
  const subfolder = (name) => {
    const path = join(folder, name);
    mkdirSync(path, { recursive: true });
    return path;
  };
  return {
    folder,
    subfolder,
    /**
     * An environment that inherits nothing but the way to programs: no extra certificates to load, no CI, no settings.
     * @param {Record<string, string>} [more]
     * @returns {Record<string, string>}
     */
    environment: (more = {}) => ({
      PATH: process.env.PATH ?? '',
      LANG: 'C.UTF-8',
      HOME: subfolder('home'),
      VALS_CONFIG_DIR: subfolder('config'),
      VALS_DATA_DIR: subfolder('data'),
      // To look for news of itself is no part of a program's start.
      NO_UPDATE_NOTIFIER: '1',
      ...more,
    }),
  };
}
