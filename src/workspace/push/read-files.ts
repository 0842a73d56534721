// The files of a push. All are read before anything is sent.
import type { Context } from '../../core/command-line/command.ts';
import { LocalError } from '../../core/errors.ts';
import { missingFile, readBelow } from '../../core/files/files.ts';
import { checkNotEmpty, similarFile } from '../../core/files/read-text.ts';
import type { FailedFile, PushedFile } from '../../core/push/refuse-files.ts';
import { asCode } from '../code.ts';
import { type Local, sortFiles } from '../read/local.ts';
import type { Look } from '../read/look.ts';
import { pathTo } from '../workspace.ts';

/** In the order of the arguments. */
export function readChosen(
  { settings }: Context,
  { workspace, names }: Look,
  chosen: readonly string[] | undefined,
): { locals: Local[]; all: PushedFile[]; failed: FailedFile[] } {
  const order = chosen ?? [...names.keys()];
  const isChosen = new Set(order);
  const { files, problem } = sortFiles(workspace, names, (file) => isChosen.has(file));
  if (problem !== undefined) throw problem;
  const named = new Map(files.map(({ file, name }) => [file, name]));
  const locals: Local[] = [];
  const all: PushedFile[] = [];
  const failed: FailedFile[] = [];
  for (const file of order) {
    const path = pathTo(workspace, file);
    const name = named.get(file) ?? '';
    all.push({ file: path, name });
    try {
      if (!names.has(file)) throw missingFile(path, undefined, similarFile(path, settings.cwd));
      const text = readBelow(workspace.root, file, path);
      // It is gone by now.
      if (text === undefined) continue;
      checkNotEmpty(path, text, chosen === undefined ? 'list the file in .valsignore' : undefined);
      locals.push({ file, name, code: asCode(text) });
    } catch (error) {
      if (!(error instanceof LocalError)) throw error;
      failed.push({ file: path, name, error });
    }
  }
  return { locals, all, failed };
}
