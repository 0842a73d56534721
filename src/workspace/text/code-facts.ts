// What a comparison needs to know of a code. Plans keep these facts, because the code of thousands of vals would fill
// the memory.
import { hash } from 'node:crypto';
import { hasLoneSurrogate } from '../../lib/visible.ts';
import { hasConflictMarkers } from './merge.ts';

export interface CodeFacts {
  hash: string;
  /** The hash of the code with \n at the end of each line. */
  hashOfLines: string;
  hasMarkers: boolean;
}

/** UTF-8 has no half characters (lone surrogates): without JSON, they would all count as the same character. */
export const hashOf = (text: string): string =>
  hash('sha256', hasLoneSurrogate(text) ? JSON.stringify(text) : text);

export function factsOf(code: string): CodeFacts {
  const hash = hashOf(code);
  const hashOfLines = code.includes('\r\n') ? hashOf(code.replaceAll('\r\n', '\n')) : hash;
  return { hash, hashOfLines, hasMarkers: hasConflictMarkers(code) };
}

export const differInLineEnds = (a: CodeFacts | undefined, b: CodeFacts | undefined): boolean =>
  a !== undefined && b !== undefined && a.hash !== b.hash && a.hashOfLines === b.hashOfLines;
