// Whether a path leads to something that can be read as a file: a pipe can, a folder cannot.
import { statSync } from 'node:fs';

export const isFile = (path: string): boolean =>
  statSync(path, { throwIfNoEntry: false })?.isDirectory() === false;
