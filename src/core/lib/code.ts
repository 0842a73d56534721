import { createHash } from 'node:crypto';

/** The id that git gives a file with this content. The ids of most repositories are SHA-1. */
export function blobId(content: Buffer, algorithm: 'sha1' | 'sha256' = 'sha1'): string {
  return createHash(algorithm).update(`blob ${content.length}\0`).update(content).digest('hex');
}

export const withPlainLineEnds = (text: string): string => text.replaceAll('\r\n', '\n');

/** Two codes that differ in line ends alone are the same code. */
export const isSameCode = (a: string, b: string): boolean => withPlainLineEnds(a) === withPlainLineEnds(b);
