import { basename, dirname, join, relative } from 'node:path';
import { RunFailedError } from '../errors.ts';
import { holdFolder } from '../lib/held-folder.ts';
import { withSlashes } from '../lib/paths.ts';
import { readPlainFile, UnusableFile } from '../lib/plain-file.ts';

const mostBytes = 16 * 1_048_576;

export interface FileInFolder {
  realFile: string;
  realFolder: string;
}

/**
 * Does not follow links below `checked.realFolder`. In a folder such as /tmp, another user could replace the file
 * with a link after the check of the import.
 */
export function readImport(path: string, checked: FileInFolder | undefined): string {
  try {
    const bytes =
      checked === undefined ? readPlainFile(path, { mostBytes, followLinks: true }) : readBelow(checked);
    return bytes.toString();
  } catch (error) {
    const problem =
      error instanceof UnusableFile ? error.problem : `cannot be read: ${(error as Error).message}`;
    throw new RunFailedError(`${path} ${problem}.`, { cause: error });
  }
}

function readBelow({ realFile, realFolder }: FileInFolder): Buffer {
  const between = withSlashes(relative(realFolder, dirname(realFile)));
  const held = holdFolder(realFolder, between === '' ? [] : between.split('/'));
  if (held === undefined) throw new UnusableFile('does not exist');
  try {
    const bytes = readPlainFile(join(held.path, basename(realFile)), { mostBytes });
    held.check();
    return bytes;
  } finally {
    held.close();
  }
}
