// Which codes are the same, and the limits of names and of what is kept of a run. The embedded service enforces these limits;
// other services may have others.

export const namePattern = /^[a-zA-Z][a-zA-Z0-9_]{0,47}$/;

export const longestValName = 48;

/** Any other name that a service sends could lead to another folder. */
export const nameForFile = (name = ''): string => (namePattern.test(name) ? name : 'val');

/** Makes of a text what a name can have. The result may be empty, or too long. */
export const nameLike = (text: string): string =>
  text
    // `normalize` would take hours for a name with millions of accents.
    .slice(0, 1_000)
    .normalize('NFKD')
    .replace(/\p{M}/gu, '')
    .replace(/[^a-zA-Z0-9_]+/g, '_')
    .replace(/^[^a-zA-Z]+/, '');

export function validName(name: string): string | undefined {
  const valid = nameLike(name).slice(0, longestValName);
  return valid === '' ? undefined : valid;
}

/** The service refuses an error of a run that has more bytes as JSON. */
export const mostErrorBytes = 65_536;

/** Of what a run printed, the service keeps the last bytes, and vals sends no more. */
export const mostLogBytes = 65_536;

/** Keeps the end, where an error is. Bytes that continue a character which was cut are left out. */
export function endOfLogs(bytes: Buffer): Buffer {
  const end = bytes.subarray(-mostLogBytes);
  return end.subarray(
    Math.max(
      0,
      end.findIndex((byte) => (byte & 0xc0) !== 0x80),
    ),
  );
}

/** The id that git gives a file with this content. The ids of most repositories are SHA-1. */
export function blobId(content: Buffer, algorithm: 'sha1' | 'sha256' = 'sha1'): string {
  // Loaded on use: `vals run` does without that module to start sooner.
  const { createHash } = process.getBuiltinModule('node:crypto');
  return createHash(algorithm).update(`blob ${content.length}\0`).update(content).digest('hex');
}

export const withPlainLineEnds = (text: string): string => text.replaceAll('\r\n', '\n');

/** Two codes that differ in line ends alone are the same code. */
export const isSameCode = (a: string, b: string): boolean => withPlainLineEnds(a) === withPlainLineEnds(b);
