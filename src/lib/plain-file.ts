import { closeSync, constants, fstatSync, lstatSync, openSync, readSync, type Stats } from 'node:fs';
import { errnoOf } from './system.ts';

const megabyte = 1_048_576;

/** Without these limits (in bytes), an endless file would fill the memory. */
export const largest = {
  text: 64 * megabyte,
  manifest: 16 * megabyte,
  ignoreFile: megabyte,
  config: megabyte,
  certificate: megabyte,
  seen: 16 * megabyte,
};

export interface ReadLimits {
  mostBytes: number;
  followLinks?: boolean;
  /** May refuse the open file before it is read. */
  inspect?(stats: Stats, descriptor: number): void;
}

export class UnusableFile extends Error {
  constructor(readonly problem: string) {
    super(problem);
  }
}

export class TooLarge extends UnusableFile {}

/**
 * Never waits for the other end of a named pipe. Checks the open file, so that nobody can replace the file between
 * the check and the read.
 */
export function readPlainFile(path: string, { mostBytes, followLinks = false, inspect }: ReadLimits): Buffer {
  const descriptor = open(path, followLinks);
  try {
    const stats = fstatSync(descriptor);
    const kind = kindOf(stats);
    if (kind !== undefined) throw new UnusableFile(`is ${kind}, not a regular file`);
    if (stats.size > mostBytes) throw tooLarge(mostBytes);
    inspect?.(stats, descriptor);
    return readAll(descriptor, stats.size, mostBytes);
  } finally {
    closeSync(descriptor);
  }
}

function open(path: string, followLinks: boolean): number {
  const { O_RDONLY, O_NOFOLLOW = 0, O_NONBLOCK = 0, O_NOCTTY = 0 } = constants;
  // Windows has no O_NOFOLLOW, so `lstatSync` has to find a link before the file is opened.
  if (!followLinks && O_NOFOLLOW === 0 && lstatSync(path).isSymbolicLink()) throw linkError();
  try {
    return openSync(path, O_RDONLY | O_NONBLOCK | O_NOCTTY | (followLinks ? 0 : O_NOFOLLOW));
  } catch (error) {
    if (!followLinks && errnoOf(error) === 'ELOOP') throw linkError();
    if (errnoOf(error) === 'ENXIO') throw new UnusableFile('is a socket or a device, not a regular file');
    throw error;
  }
}

const linkError = () => new UnusableFile('is a link, not a regular file');

function kindOf(stats: Stats): string | undefined {
  if (stats.isFile()) return undefined;
  if (stats.isDirectory()) return 'a folder';
  if (stats.isFIFO()) return 'a named pipe';
  if (stats.isSocket()) return 'a socket';
  return 'a device';
}

/** Reads until the end, because the system reports the size 0 for files in /proc. */
function readAll(descriptor: number, size: number, mostBytes: number): Buffer {
  // Thanks to the extra byte, the second `readSync` can find the end of the file without a larger buffer.
  let bytes = Buffer.allocUnsafe(size + 1);
  let length = 0;
  for (;;) {
    const read = readSync(descriptor, bytes, length, bytes.length - length, null);
    if (read === 0) return bytes.subarray(0, length);
    length += read;
    if (length > mostBytes) throw tooLarge(mostBytes);
    if (length === bytes.length) bytes = withDoubleSize(bytes);
  }
}

const withDoubleSize = (bytes: Buffer) => Buffer.concat([bytes], 2 * bytes.length);

export function tooLarge(mostBytes: number): TooLarge {
  const limit = mostBytes >= megabyte ? `${Math.floor(mostBytes / megabyte)} MB` : `${mostBytes} bytes`;
  return new TooLarge(`is larger than ${limit}`);
}
