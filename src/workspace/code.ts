// What a comparison knows of a code. Codes are identified as git does it, so that one look tells whether git has them.
import { hasConflictMarkers } from '../core/files/check-syntax.ts';
import { blobId, withPlainLineEnds } from '../core/lib/vals.ts';

type LineEnds = '\n' | '\r\n' | 'mixed';

export interface Code {
  /** The id that git gives the code as a blob. */
  blob: string;
  lineEnds: LineEnds;
  /** The code has the marks of a merge. */
  hasMarks: boolean;
  /** Undefined if only the service's `codeHash` is known. */
  text?: string | undefined;
}

export interface CodeWithText extends Code {
  text: string;
}

export const asCode = (text: string): CodeWithText => ({
  blob: blobId(Buffer.from(text)),
  lineEnds: lineEndsOf(text),
  hasMarks: hasConflictMarkers(text),
  text,
});

function lineEndsOf(text: string): LineEnds {
  if (!text.includes('\r\n')) return '\n';
  return /(?<!\r)\n/.test(text) ? 'mixed' : '\r\n';
}

/** The code of a val that was only seen in a list. */
export const codeWithHash = (codeHash: string): Code => ({
  blob: codeHash,
  lineEnds: '\n',
  hasMarks: false,
});

/** The ids of the code with any line ends: codes that differ in line ends alone are the same. `isLong`: those of SHA-256, too. */
export function idsOf({ blob, text }: Code, { isLong = false } = {}): string[] {
  if (text === undefined) return [blob];
  const forms = [text, withPlainLineEnds(text), withLineEnds(text, '\r\n')];
  const algorithms = isLong ? (['sha1', 'sha256'] as const) : (['sha1'] as const);
  return algorithms.flatMap((algorithm) => forms.map((form) => blobId(Buffer.from(form), algorithm)));
}

export function hasSameCode(a: Code | undefined, b: Code | undefined): boolean {
  if (a === undefined || b === undefined) return false;
  if (a.blob === b.blob) return true;
  const ids = idsOf(a);
  return idsOf(b).some((id) => ids.includes(id));
}

/** A push sends the line ends that the service has, and a pull keeps those of the file. */
export function withLineEnds(text: string, lineEnds: LineEnds | undefined): string {
  if (lineEnds === undefined || lineEnds === 'mixed') return text;
  const plain = withPlainLineEnds(text);
  return lineEnds === '\n' ? plain : plain.replaceAll('\n', '\r\n');
}
