// Files below the root: never reached through a link, replaced whole or not at all.
import { randomUUID } from 'node:crypto';
import {
  closeSync,
  fchmodSync,
  fsyncSync,
  lstatSync,
  openSync,
  readFileSync,
  renameSync,
  rmSync,
  type Stats,
  statSync,
  writeFileSync,
} from 'node:fs';
import { dirname, join } from 'node:path';
import { ConflictError, LocalError } from '../../errors.ts';
import { isMissing } from '../../lib/errno.ts';
import { makeFolder } from '../../lib/folders.ts';
import { decode, fileError } from '../sources/read-text.ts';

/** The folder that is ours, and that git ignores. */
export const dotValsFolder = '.vals';

/** Undefined where there is no such file. */
export function readBelow(root: string, file: string): string | undefined {
  const stats = look(root, file);
  if (stats === undefined) return undefined;
  try {
    return decode(file, readFileSync(join(root, file)));
  } catch (error) {
    if (error instanceof LocalError) throw error;
    if (isMissing(error)) return undefined;
    throw fileError(file, error);
  }
}

/** What is at a place below the root; a link on the way there, or anything but a file at its end, is refused. */
function look(root: string, file: string): Stats | undefined {
  let here = root;
  const parts = file.split('/');
  for (const [index, part] of parts.entries()) {
    here = join(here, part);
    let stats: Stats;
    try {
      stats = lstatSync(here);
    } catch (error) {
      if (isMissing(error)) return undefined;
      throw fileError(file, error);
    }
    const isLast = index === parts.length - 1;
    if (stats.isSymbolicLink()) {
      const place = parts.slice(0, index + 1).join('/');
      throw new LocalError(`${file} is not touched: ${place} is a link, and may lead anywhere.`, {
        hint: 'Put the file itself there, or name another in vals.json.',
      });
    }
    if (isLast ? !stats.isFile() : !stats.isDirectory()) {
      throw new LocalError(`${file} is not a plain file.`, { hint: 'Move away what is there.' });
    }
    if (isLast) return stats;
  }
  return undefined;
}

/** What a file must hold to be replaced: a text, nothing because it is not there, or anything. */
export type Expected = { content: string | undefined } | 'anything';

/** A crash leaves the old file or the new one; what it leaves besides lies in our own folder. */
export function replaceBelow(root: string, file: string, content: string, expected: Expected): void {
  const target = join(root, file);
  const mode = look(root, file)?.mode;
  let temporary: string | undefined;
  try {
    makeFolder(dirname(target));
    temporary = temporaryFile(root, dirname(target));
    const descriptor = openSync(temporary, 'wx');
    try {
      writeFileSync(descriptor, content);
      if (mode !== undefined) fchmodSync(descriptor, mode & 0o7777);
      fsyncSync(descriptor);
    } finally {
      closeSync(descriptor);
    }
    // An editor may have saved since we looked: what it saved is not ours to overwrite.
    if (expected !== 'anything' && readBelow(root, file) !== expected.content) {
      throw new ConflictError(`${file} was changed meanwhile, so it was left as it is.`, {
        hint: 'Run it again.',
      });
    }
    renameSync(temporary, target);
  } catch (error) {
    if (temporary !== undefined) rmSync(temporary, { force: true });
    if (error instanceof LocalError || error instanceof ConflictError) throw error;
    throw new LocalError(`${file} could not be written: ${(error as Error).message}`, {
      hint: 'See that its folder can be written and has space left.',
      cause: error,
    });
  }
}

/** In our folder, unless the target is on another disk, onto which nothing can be moved whole. */
function temporaryFile(root: string, folder: string): string {
  const ours = join(root, dotValsFolder, 'tmp');
  look(root, `${dotValsFolder}/tmp/x`);
  makeFolder(ours);
  const isSameDisk = statSync(ours).dev === statSync(folder).dev;
  return join(isSameDisk ? ours : folder, `.${randomUUID()}.tmp`);
}
