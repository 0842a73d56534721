// What a comparison knows of a code. Codes are identified as git does it, so that one look tells whether git has them.
import { hasConflictMarkers } from '../core/files/conflict-markers.ts';
import { blobId } from '../core/lib/blob-id.ts';
import { withPlainLineEnds } from '../core/lib/line-ends.ts';

export type LineEnds = '\n' | '\r\n' | 'mixed';

export interface Code {
  /** The id that git gives the code as a blob. */
  blob: string;
  /** The id of the code with \n at the end of each line. Undefined if only the service's `codeHash` is known. */
  lines: string | undefined;
  lineEnds: LineEnds;
  /** The code has the marks of a merge. */
  hasMarks: boolean;
  /** Undefined if only the service's `codeHash` is known. */
  text?: string | undefined;
}

export interface CodeWithText extends Code {
  text: string;
}

export function codeOf(text: string): CodeWithText {
  const blob = blobId(Buffer.from(text));
  const lines = text.includes('\r\n') ? blobId(Buffer.from(withPlainLineEnds(text))) : blob;
  return { blob, lines, lineEnds: lineEndsOf(text), hasMarks: hasConflictMarkers(text), text };
}

function lineEndsOf(text: string): LineEnds {
  if (!text.includes('\r\n')) return '\n';
  return /(?<!\r)\n/.test(text) ? 'mixed' : '\r\n';
}

/** The code of a val that was only seen in a list. */
export const codeWithHash = (codeHash: string): Code => ({
  blob: codeHash,
  lines: undefined,
  lineEnds: '\n',
  hasMarks: false,
});

/** Two codes that differ in line ends alone are the same code. */
export function isSameCode(a: Code | undefined, b: Code | undefined): boolean {
  if (a === undefined || b === undefined) return false;
  if (a.lines !== undefined && b.lines !== undefined) return a.lines === b.lines;
  return a.blob === b.blob || hasBlobOf(a, b) || hasBlobOf(b, a);
}

/** If only the hash of a code is known, its lines may end with \n or with \r\n. */
const hasBlobOf = ({ blob, lines }: Code, { text }: Code): boolean =>
  lines === undefined &&
  text !== undefined &&
  (['\n', '\r\n'] as const).some((ends) => blobId(Buffer.from(withLineEnds(text, ends))) === blob);

/** A push sends the line ends that the service has, and a pull keeps those of the file. */
export function withLineEnds(text: string, lineEnds: LineEnds | undefined): string {
  if (lineEnds === undefined || lineEnds === 'mixed') return text;
  const plain = withPlainLineEnds(text);
  return lineEnds === '\n' ? plain : plain.replaceAll('\n', '\r\n');
}
