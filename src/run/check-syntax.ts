import type { Loader, Message, TransformFailure } from 'esbuild';
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
  let farthest: SyntaxFault[] = [];
  for (const loader of loaders) {
    // Only experimental decorators can decorate parameters, and only standard ones can decorate expressions.
    for (const experimentalDecorators of [false, true]) {
      const tsconfigRaw = { compilerOptions: { experimentalDecorators } };
      try {
        await transform(code, { loader, tsconfigRaw, target: 'esnext', logLevel: 'silent' });
        return [];
      } catch (error) {
        const faults = isTransformFailure(error) ? error.errors.map(faultOf) : throwUnusable(error);
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

/** esbuild counts columns from 0, in bytes of UTF-8. */
function faultOf({ text, location }: Message): SyntaxFault {
  const { line, column, lineText } = location ?? { line: 1, column: 0, lineText: '' };
  const before = Buffer.from(lineText).subarray(0, column).toString();
  return { line, column: [...before].length + 1, message: text.replace(/:$/, ''), lineText };
}

const isTransformFailure = (error: unknown): error is TransformFailure =>
  error instanceof Error && 'errors' in error && Array.isArray(error.errors);

function throwUnusable(cause: unknown): never {
  throw new LocalError('The code was not checked, because the parser, esbuild, cannot be run.', {
    hint: [
      'Install vals again without --omit=optional.',
      { text: 'To send the code without a check', input: { noCheck: true } },
    ],
    cause,
  });
}
