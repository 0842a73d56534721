import type { BuildFailure, Loader, Location, Message } from 'esbuild';
import { LocalError } from '../errors.ts';

export interface SyntaxFault {
  /** From 1, in characters. */
  line: number;
  column: number;
  message: string;
  lineText: string;
}

const loadersByExtension: Record<string, Loader[] | undefined> = {
  '.ts': ['ts'],
  '.mts': ['ts'],
  '.tsx': ['tsx'],
  '.js': ['jsx'],
  '.mjs': ['jsx'],
  '.jsx': ['jsx'],
};

export const canCheck = (extension: string): boolean => loadersByExtension[extension] !== undefined;

/**
 * Without an extension, the code may be TypeScript with or without JSX. esbuild parses all files in one process of its
 * own, which ends with this one, so check many files at the same time.
 */
export async function findSyntaxFaults(code: string, extension?: string): Promise<SyntaxFault[]> {
  const loaders: Loader[] = extension === undefined ? ['ts', 'tsx'] : (loadersByExtension[extension] ?? []);
  const { transform } = await import('esbuild').catch(throwUnusable);
  // esbuild counts the byte order mark in the columns of the first line, and leaves the mark out of its text.
  const text = code.replace(/^\ufeff/, '');
  let farthest: SyntaxFault[] = [];
  for (const loader of loaders) {
    // Only experimental decorators can decorate parameters, and only standard ones can decorate expressions.
    for (const experimentalDecorators of [false, true]) {
      const tsconfigRaw = { compilerOptions: { experimentalDecorators } };
      try {
        await transform(text, { loader, tsconfigRaw, target: 'esnext', logLevel: 'silent' });
        return [];
      } catch (error) {
        const faults = isBuildFailure(error) ? error.errors.map(faultOf) : throwUnusable(error);
        if (farthest.length === 0 || isAfter(faults[0], farthest[0])) farthest = faults;
      }
    }
  }
  return farthest;
}

function isAfter(fault: SyntaxFault | undefined, other: SyntaxFault | undefined): boolean {
  if (fault === undefined || other === undefined) return false;
  return fault.line > other.line || (fault.line === other.line && fault.column > other.column);
}

function faultOf({ text, location }: Message): SyntaxFault {
  const message = text.replace(/:$/, '');
  if (location === null) return { line: 1, column: 1, message, lineText: '' };
  return { line: location.line, column: columnOf(location), message, lineText: location.lineText };
}

/** From 1, in characters. esbuild counts from 0, in bytes of UTF-8. */
export const columnOf = ({ column, lineText }: Location): number =>
  [...Buffer.from(lineText).subarray(0, column).toString()].length + 1;

export const isBuildFailure = (error: unknown): error is BuildFailure =>
  error instanceof Error && 'errors' in error && Array.isArray(error.errors);

function throwUnusable(cause: unknown): never {
  throw new LocalError('The code was not checked, because the parser, esbuild, cannot be run.', {
    hint: [
      'Install vals again without --omit=optional.',
      'To send the code without a check, add --no-check.',
    ],
    cause,
  });
}

/**
 * The lines that git and `vals pull --merge` write around a conflict, in the order in which they stand in a file.
 * If both sides renamed and changed the file, git writes eight and more of each sign.
 */
const markerLines = [/^<{7,} /m, /^={7,}\r?$/m, /^>{7,} /m];

/** Does not split the text, because the lines of a large file would fill the memory. */
export function hasConflictMarkers(text: string): boolean {
  let rest = text;
  return markerLines.every((line) => {
    const at = rest.search(line);
    rest = rest.slice(at + 1);
    return at >= 0;
  });
}
