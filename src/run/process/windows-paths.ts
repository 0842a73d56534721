import { win32 } from 'node:path';
import { readableNames } from '../../core/lib/paths.ts';

/**
 * Node's permission model compares paths letter by letter, on Windows too, and editors write drive letters in lower case.
 * So paths get the case that the disk has. The real path would not do: it turns a mapped drive into the share.
 */
export function spelledAsOnDisk(path: string, platform: NodeJS.Platform, entriesOf = readableNames): string {
  if (platform !== 'win32') return path;
  const { root } = win32.parse(path);
  let spelled = /^[a-z]:/.test(root) ? root.toUpperCase() : root;
  for (const name of path
    .slice(root.length)
    .split(/[\\/]+/)
    .filter(Boolean)) {
    const entries = entriesOf(spelled);
    const isThere = entries.includes(name);
    const other = entries.find((entry) => entry.toLowerCase() === name.toLowerCase());
    spelled = win32.join(spelled, isThere ? name : (other ?? name));
  }
  return spelled;
}

/** On Windows, Node names a path that it refused in the form `\\\\?\\C:\\folder` or `\\\\?\\UNC\\server\\folder`. */
export const withoutNamespace = (path: string): string =>
  path.replace(/^\\\\\?\\(UNC\\)?/, (_prefix, isShare) => (isShare ? '\\\\' : ''));
