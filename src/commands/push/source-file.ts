import { resolve } from 'node:path';
import type { Context } from '../../cli/context.ts';
import { existingStats } from '../../lib/paths.ts';
import { readCode } from '../../workspace/sources/read-text.ts';
import { type FoundFile, readInFolder } from '../../workspace/sources/walk.ts';

/** A file to read, whether a workspace has it or not. */
export interface SourceFile {
  /** As a person would type it, or - for standard input. */
  file: string;
  read(): Promise<string>;
  /** A pipe and standard input can be read only once. */
  canReadAgain: boolean;
}

export function sourceFile(context: Context, { file, inFolder }: FoundFile): SourceFile {
  if (inFolder !== undefined)
    return { file, canReadAgain: true, read: async () => readInFolder(file, inFolder) };
  const path = resolve(context.settings.cwd, file);
  const canReadAgain = file !== '-' && existingStats(path)?.isFile() === true;
  return { file, canReadAgain, read: async () => readCode(file, context) };
}
