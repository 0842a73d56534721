import {
  closeSync,
  constants,
  fstatSync,
  lstatSync,
  mkdirSync,
  openSync,
  readFileSync,
  rmSync,
  type Stats,
  writeFileSync,
} from 'node:fs';
import { dirname } from 'node:path';
import { errnoOf, isMissing, replaceFile } from './system.ts';

/** In bytes. A larger file would fill the memory. */
export const largestFile = 64 * 1_048_576;

export interface ReadOptions {
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
export function readPlainFile(path: string, { followLinks = false, inspect }: ReadOptions = {}): Buffer {
  const descriptor = open(path, followLinks);
  try {
    const stats = fstatSync(descriptor);
    const kind = kindOf(stats);
    if (kind !== undefined) throw new UnusableFile(`is ${kind}, not a regular file`);
    if (stats.size > largestFile) throw tooLarge();
    inspect?.(stats, descriptor);
    return readFileSync(descriptor);
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

export const tooLarge = (): TooLarge => new TooLarge('is larger than 64 MB');

export interface ReplaceOptions {
  /** After a power failure, the content is there as soon as what is written later is there. */
  flush?: boolean;
}

/** Writes a file of the data directory, for its owner alone. A crash leaves the old file or the new one. */
export function replacePrivate(path: string, content: string, options: ReplaceOptions = {}): void {
  // Not from node:crypto, because `vals run` does without that module to start sooner.
  const temporary = `${path}.${process.pid}-${Math.random().toString(36).slice(2)}.tmp`;
  try {
    writeNew(temporary, content, options);
    replaceFile(temporary, path);
  } catch (error) {
    rmSync(temporary, { force: true });
    throw error;
  }
}

function writeNew(path: string, content: string, options: ReplaceOptions): void {
  const write = () => writeFileSync(path, content, { ...options, flag: 'wx', mode: 0o600 });
  try {
    write();
  } catch (error) {
    if (!isMissing(error)) throw error;
    mkdirSync(dirname(path), { recursive: true, mode: 0o700 });
    write();
  }
}
