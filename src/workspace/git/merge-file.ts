// Merges three texts with `git merge-file`, which works outside of a repository, too.
import { execFile } from 'node:child_process';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { LocalError } from '../../core/errors.ts';
import { errorMessageOf, isMissing, wordsOf } from '../../core/lib/system.ts';
import { gitEnvironment } from './start-git.ts';

export interface ThreeTexts {
  here: string;
  base: string;
  there: string;
}

export interface Merged {
  text: string;
  hasConflicts: boolean;
}

/** Undefined without git. */
export async function mergeTexts(texts: ThreeTexts, env: NodeJS.ProcessEnv): Promise<Merged | undefined> {
  const folder = await mkdtemp(join(tmpdir(), 'vals-merge-')).catch(refuse);
  try {
    for (const name of ['here', 'base', 'there'] as const) {
      await writeFile(join(folder, name), texts[name], { mode: 0o600 }).catch(refuse);
    }
    return await mergeFiles(folder, env);
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

const args = [
  '-c',
  'merge.conflictStyle=merge',
  'merge-file',
  '-p',
  '-L',
  'here',
  '-L',
  'base',
  '-L',
  'there',
];

/** git exits with the number of conflicts, or with 128 and more if it could not merge. */
function mergeFiles(folder: string, env: NodeJS.ProcessEnv): Promise<Merged | undefined> {
  // git reads the settings of no repository there.
  const options = {
    cwd: folder,
    env: { ...gitEnvironment(env), GIT_DIR: folder },
    maxBuffer: Number.POSITIVE_INFINITY,
  };
  return new Promise((resolve, reject) => {
    execFile('git', [...args, 'here', 'base', 'there'], options, (error, text, message) => {
      if (error === null) return resolve({ text, hasConflicts: false });
      if (isMissing(error)) return resolve(undefined);
      const { code } = error;
      if (typeof code === 'number' && code < 128) return resolve({ text, hasConflicts: true });
      reject(new LocalError(`git could not merge the file: ${message.trim() || errorMessageOf(error)}`));
    });
  });
}

function refuse(error: unknown): never {
  throw new LocalError(`A temporary file for the merge could not be written: ${errorMessageOf(error)}`, {
    hint: `Set ${wordsOf().temporary} to a folder that you can write to.`,
    cause: error,
  });
}
