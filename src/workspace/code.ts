// The code of a file or of a version. Codes have the ids that git gives them, so that one question tells whether git has them.
import { hasConflictMarkers } from '../core/files/check-syntax.ts';
import { blobId, isSameCode, withPlainLineEnds } from '../core/lib/vals.ts';

type LineEnds = '\n' | '\r\n' | 'mixed';

export interface Code {
  text: string;
  /** The id that git gives the code as a blob (SHA-1). */
  blob: string;
  lineEnds: LineEnds;
  /** The code has the marks of a merge. */
  hasMarks: boolean;
}

/** A code of which a list of the service told the `codeHash` alone. */
export interface CodeHash {
  text: undefined;
  blob: string;
}

export const asCode = (text: string): Code => ({
  text,
  blob: blobOf(text),
  lineEnds: lineEndsOf(text),
  hasMarks: hasConflictMarkers(text),
});

const blobOf = (text: string): string => blobId(Buffer.from(text));

function lineEndsOf(text: string): LineEnds {
  if (!text.includes('\r\n')) return '\n';
  return /(?<!\r)\n/.test(text) ? 'mixed' : '\r\n';
}

/** Codes that differ in line ends alone are the same code. */
const formsOf = ({ text }: Code): string[] => [text, withPlainLineEnds(text), withLineEnds(text, '\r\n')];

/** The ids that git may have given the code, with any line ends. Of a hash alone, only a repository of SHA-1 has the id. */
export function idsOf(code: Code | CodeHash): string[] {
  if (code.text === undefined) return [code.blob];
  const contents = [...new Set(formsOf(code))].map((form) => Buffer.from(form));
  return contents.flatMap((content) => [blobId(content), blobId(content, 'sha256')]);
}

/** The same code with the line ends that have this id. Undefined if it is another code. */
export function sameCodeWithId(code: Code, id: string): Code | undefined {
  const text = formsOf(code).find((form) => blobOf(form) === id);
  return text === undefined ? undefined : asCode(text);
}

type CodeOrHash = Code | CodeHash | undefined;

export function hasSameCode(a: CodeOrHash, b: CodeOrHash): boolean {
  if (a === undefined || b === undefined) return false;
  if (a.text !== undefined && b.text !== undefined) return isSameCode(a.text, b.text);
  const ids = idsOf(a);
  return idsOf(b).some((id) => ids.includes(id));
}

/** A push sends the line ends that the service has, and a pull keeps those of the file. */
export function withLineEnds(text: string, lineEnds: LineEnds | undefined): string {
  if (lineEnds === undefined || lineEnds === 'mixed') return text;
  const plain = withPlainLineEnds(text);
  return lineEnds === '\n' ? plain : plain.replaceAll('\n', '\r\n');
}
