// The one way to read a whole file: its kind and its size are known before a byte of it is read.
import { closeSync, constants, fstatSync, lstatSync, openSync, readSync, type Stats } from 'node:fs';
import { errnoOf } from './errno.ts';

export interface ReadLimits {
  /** A larger file is refused; it may grow while it is read, and is refused then too. */
  mostBytes: number;
  /** Whether a link at the end of the path is followed; what it leads to must still be a plain file. */
  followLinks?: boolean;
}

/** Why a file is not read: what it is instead of a plain file, or that it is too large. */
export class NotPlainFile extends Error {
  constructor(readonly problem: string) {
    super(problem);
  }
}

/**
 * Throws a NotPlainFile, or the system's error. Opening a named pipe does not wait for its other end, and what is
 * looked at is what was opened, so that nothing can be put in its place between the look and the reading.
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
  // Windows has neither flag: a link is looked for there before.
  const { O_RDONLY, O_NOFOLLOW = 0, O_NONBLOCK = 0, O_NOCTTY = 0 } = constants;
  const isLink = () => new NotPlainFile('is a link, which may lead anywhere');
  if (!followLinks && O_NOFOLLOW === 0 && lstatSync(path).isSymbolicLink()) throw isLink();
  try {
    return openSync(path, O_RDONLY | O_NONBLOCK | O_NOCTTY | (followLinks ? 0 : O_NOFOLLOW));
  } catch (error) {
    // A link that leads in a circle gives the same error where links are followed.
    if (!followLinks && errnoOf(error) === 'ELOOP') throw isLink();
    // A socket cannot be opened, nor can a device that is not there.
    if (errnoOf(error) === 'ENXIO') throw new NotPlainFile('is a socket or a device, not a plain file');
    throw error;
  }
}

/** What stands there instead of a plain file; undefined where it is one. */
export function kindOf(stats: Stats): string | undefined {
  if (stats.isFile()) return undefined;
  if (stats.isDirectory()) return 'a folder';
  if (stats.isFIFO()) return 'a named pipe';
  if (stats.isSocket()) return 'a socket';
  return 'a device';
}

/** Some files, below /proc for instance, say that they are empty and are not, so the end is what ends it. */
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
