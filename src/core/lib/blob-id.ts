import { createHash } from 'node:crypto';

/** The id that git gives a file with this content. The ids of most repositories are SHA-1. */
export function blobId(content: Buffer, algorithm: 'sha1' | 'sha256' = 'sha1'): string {
  return createHash(algorithm).update(`blob ${content.length}\0`).update(content).digest('hex');
}
