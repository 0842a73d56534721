// Reads a whole file, after a check of its kind and size.
import {
  closeSync,
  constants,
  fstatSync,
  lstatSync,
  openSync,
  readSync,
  type Stats,
  statSync,
} from 'node:fs';
import { errnoOf } from './errno.ts';

export interface ReadLimits {
  /** A larger file is refused, also if it grows while it is read. */
  mostBytes: number;
  /** Whether the path may be a link to a plain file. */
  followLinks?: boolean;
}

/** The file is not a plain file, or it is too large. */
export class NotPlainFile extends Error {
  constructor(readonly problem: string) {
    super(problem);
  }
}

/**
 * Throws a NotPlainFile or the system's error. Does not wait for the other end of a named pipe. Checks the open file, so that
 * nobody can replace the file between the check and the read.
 */
export function readPlainFile(path: string, { mostBytes, followLinks = false }: ReadLimits): Buffer {
  const descriptor = open(path, followLinks);
  try {
    const stats = fstatSync(descriptor);
    const kind = kindOf(stats);
    if (kind !== undefined) throw new NotPlainFile(`is ${kind}, not a plain file`);
    if (stats.size > mostBytes) throw tooLarge(mostBytes);
    return readAll(descriptor, stats.size, mostBytes);
  } finally {
    closeSync(descriptor);
  }
}

function open(path: string, followLinks: boolean): number {
  // Windows has none of these flags, so the check for a link comes first there.
  const { O_RDONLY, O_NOFOLLOW = 0, O_NONBLOCK = 0, O_NOCTTY = 0 } = constants;
  const isLink = () => new NotPlainFile('is a link, and vals does not follow links here');
  if (!followLinks && O_NOFOLLOW === 0 && lstatSync(path).isSymbolicLink()) throw isLink();
  try {
    return openSync(path, O_RDONLY | O_NONBLOCK | O_NOCTTY | (followLinks ? 0 : O_NOFOLLOW));
  } catch (error) {
    // If links are followed, the same error means that links lead in a circle.
    if (!followLinks && errnoOf(error) === 'ELOOP') throw isLink();
    // A socket cannot be opened, and neither can a missing device.
    if (errnoOf(error) === 'ENXIO') throw new NotPlainFile('is a socket or a device, not a plain file');
    throw error;
  }
}

/** The kind of a file that is not plain; undefined for a plain one. */
export function kindOf(stats: Stats): string | undefined {
  if (stats.isFile()) return undefined;
  if (stats.isDirectory()) return 'a folder';
  if (stats.isFIFO()) return 'a named pipe';
  if (stats.isSocket()) return 'a socket';
  return 'a device';
}

/** Reads to the end, because the size of some files is wrong: those below /proc say 0. */
function readAll(descriptor: number, size: number, mostBytes: number): Buffer {
  let bytes = Buffer.allocUnsafe(size + 1);
  let length = 0;
  for (;;) {
    const read = readSync(descriptor, bytes, length, bytes.length - length, null);
    if (read === 0) return bytes.subarray(0, length);
    length += read;
    if (length > mostBytes) throw tooLarge(mostBytes);
    if (length === bytes.length) bytes = Buffer.concat([bytes], Math.min(2 * length, mostBytes) + 1);
  }
}

export const tooLarge = (mostBytes: number): NotPlainFile =>
  new NotPlainFile(
    `is larger than ${mostBytes >= 1_048_576 ? `${Math.floor(mostBytes / 1_048_576)} MB` : `${mostBytes} bytes`}`,
  );

/** Whether a path leads to something that can be read as a file: a pipe can, a folder cannot. */
export const isFile = (path: string): boolean =>
  statSync(path, { throwIfNoEntry: false })?.isDirectory() === false;
