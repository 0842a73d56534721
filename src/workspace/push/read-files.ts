// Reads and checks all files of a push before anything is sent.
import type { Run } from '../../core/command-line/command.ts';
import { LocalError } from '../../core/errors.ts';
import { missingFile } from '../../core/files/file-error.ts';
import { checkNotEmpty, similarFile } from '../../core/files/read-text.ts';
import { nameFrom } from '../../core/files/val-names.ts';
import type { FailedFile, PushedFile } from '../../core/push/refuse-files.ts';
import { type FileToExamine, readLocalSide } from '../examine.ts';
import type { Look } from '../look.ts';
import { usableVals } from '../select.ts';
import { pathTo } from '../workspace.ts';

export interface ChosenFiles {
  look: Look;
  files: readonly string[];
}

export interface LocalFile extends PushedFile {
  look: Look;
  local: FileToExamine;
}

interface ReadFiles {
  files: LocalFile[];
  all: PushedFile[];
  failed: FailedFile[];
}

export function readFiles(
  run: Run,
  chosen: readonly ChosenFiles[],
  { isNamed }: { isNamed: boolean },
): ReadFiles {
  const read: ReadFiles = { files: [], all: [], failed: [] };
  for (const { look, files } of chosen) {
    const isChosen = new Set(files);
    const usable = usableVals(look.workspace, look.names, (file) => isChosen.has(file));
    const names = new Map(usable.map(({ file, name }) => [file, name]));
    for (const each of isChosen) {
      const name = names.get(each) ?? nameFrom(each) ?? '';
      const file = { file: pathTo(look.workspace, each), name };
      read.all.push(file);
      try {
        const { here, ...local } = readLocalSide(look, { file: each, name });
        if (here === undefined)
          throw missingFile(file.file, undefined, similarFile(file.file, run.settings.cwd));
        checkNotEmpty(file.file, here.text, isNamed ? undefined : 'list the file in .valsignore');
        read.files.push({ ...file, look, local: { ...local, here } });
      } catch (error) {
        if (!(error instanceof LocalError)) throw error;
        read.failed.push({ ...file, error });
      }
    }
  }
  return read;
}
