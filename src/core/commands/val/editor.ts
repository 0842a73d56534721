import { spawn } from 'node:child_process';
import { mkdtemp, rm, rmdir, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { LocalError, UsageError } from '../../errors.ts';
import { readPlainFile } from '../../lib/plain-file.ts';
import { errorMessageOf, type System, wordsOf } from '../../lib/system.ts';

export interface Editing {
  bytes: Buffer;
  file: string;
  discard(): Promise<void>;
}

export async function edit(
  text: string,
  fileName: string,
  env: NodeJS.ProcessEnv,
  system: System,
): Promise<Editing> {
  const editor = chosenEditor(env, system);
  const folder = await mkdtemp(join(tmpdir(), 'vals-edit-')).catch(asLocalError);
  const file = join(folder, fileName);
  const discard = async () => {
    const backup = `${file}~`;
    for (const path of [file, backup]) await rm(path, { force: true }).catch(() => {});
    // Other files are kept, because the user may have saved the text under another name.
    await rmdir(folder).catch(() => {});
  };
  await writeFile(file, text, { mode: 0o600 }).catch(async (error) => {
    await discard();
    asLocalError(error);
  });
  const failure = await run(editor, file, system.platform === 'win32');
  if (failure !== undefined) {
    throw new LocalError(`The editor \`${editor}\` ${failure}. Nothing was sent. Your text is in ${file}.`, {
      hint: 'Check that VISUAL or EDITOR names an editor that is installed.',
    });
  }
  try {
    return { bytes: readPlainFile(file, { followLinks: true }), file, discard };
  } catch (error) {
    const problem = `could not be read after the editor ended: ${errorMessageOf(error)}`;
    throw new LocalError(`The file ${file} ${problem}. Nothing was sent.`, { cause: error });
  }
}

function asLocalError(error: Error): never {
  throw new LocalError(`The temporary file for the editor could not be used: ${error.message}.`, {
    hint: `Set ${wordsOf().temporary} to a folder that you can write to.`,
    cause: error,
  });
}

function chosenEditor(env: NodeJS.ProcessEnv, { platform }: System): string {
  const editor = [env.VISUAL, env.EDITOR].find((value) => value?.trim());
  if (editor !== undefined) return editor;
  throw new UsageError('No editor is chosen.', {
    hint: `Set VISUAL or EDITOR, for example to ${wordsOf(platform).editor} or "code --wait".`,
  });
}

/** A shell starts the editor, because the variable EDITOR may contain flags. Returns what went wrong. */
function run(editor: string, file: string, isWindows: boolean): Promise<string | undefined> {
  return new Promise((resolve) => {
    const child = isWindows
      ? spawn(`${editor} "${file}"`, { stdio: 'inherit', shell: true })
      : spawn('sh', ['-c', `${editor} "$@"`, editor, file], { stdio: 'inherit' });
    child.once('error', ({ message }) => resolve(`could not be started: ${message}`));
    child.once('exit', (code, signal) => {
      const problem = signal ? `was ended by ${signal}` : `ended with exit code ${code}`;
      resolve(code === 0 ? undefined : problem);
    });
  });
}
