import { resolve } from 'node:path';
import type { Context } from '../command-line/command.ts';
import { LocalError } from '../errors.ts';
import { findSuspects, type SyntaxFault } from '../files/check-syntax.ts';
import { readCode } from '../files/read-text.ts';
import { type FoundFile, readInFolder } from '../files/walk.ts';
import { forEach } from '../http/for-each.ts';
import { wait } from '../lib/clock.ts';
import { existingStats } from '../lib/paths.ts';
import { faultsIn, isChecked } from './syntax.ts';

/** A file to read, whether a workspace has it or not. */
export interface SourceFile {
  /** As a person would type it, or - for standard input. */
  file: string;
  read(): Promise<string>;
  /** False for a pipe and for standard input, which can be read only once. */
  isOnDisk: boolean;
}

export function sourceFile(context: Context, { file, inFolder }: FoundFile): SourceFile {
  if (inFolder !== undefined) return { file, isOnDisk: true, read: async () => readInFolder(file, inFolder) };
  const path = resolve(context.settings.cwd, file);
  const isOnDisk = file !== '-' && existingStats(path)?.isFile() === true;
  return { file, isOnDisk, read: async () => readCode(file, context) };
}

/** Reads each file once. `failed` has those that cannot be read. */
export async function readSources<Source extends SourceFile>(
  { host: { signal } }: Pick<Context, 'host'>,
  sources: readonly Source[],
): Promise<{ files: (Source & { code: string })[]; failed: (Source & { error: LocalError })[] }> {
  const files: (Source & { code: string })[] = [];
  const failed: (Source & { error: LocalError })[] = [];
  for (const source of sources) {
    signal.throwIfAborted();
    try {
      const code = await source.read();
      files.push({ ...source, code, read: async () => code });
    } catch (error) {
      if (!(error instanceof LocalError)) throw error;
      failed.push({ ...source, error });
    }
  }
  return { files, failed };
}

/** For fewer files, a build of all of them takes longer than to parse each. */
const leastForBuild = 10;

type FaultsByFile = ReadonlyMap<string, readonly [SyntaxFault, ...SyntaxFault[]]>;

/** By their paths, only files with a syntax error. */
export async function syntaxFaults(context: Context, files: readonly SourceFile[]): Promise<FaultsByFile> {
  try {
    return await parseAll(context, files);
  } catch (error) {
    // Ctrl-C at a terminal ends the process of esbuild, too, and that may be noticed first.
    const { clock, signal } = context.host;
    await wait(clock, 50, signal);
    signal.throwIfAborted();
    throw error;
  }
}

async function parseAll({ settings }: Context, files: readonly SourceFile[]): Promise<FaultsByFile> {
  const pathOf = ({ file }: SourceFile) => resolve(settings.cwd, file);
  const checked = files.filter(({ file }) => isChecked(file));
  const onDisk = checked.filter(({ isOnDisk }) => isOnDisk).map(pathOf);
  const suspects = onDisk.length < leastForBuild ? new Set(onDisk) : await findSuspects(onDisk);
  const found = new Map<string, [SyntaxFault, ...SyntaxFault[]]>();
  const toParse = checked.filter((file) => !file.isOnDisk || suspects.has(pathOf(file)));
  await forEach(toParse, 'auto', async ({ file, read }) => {
    const [first, ...others] = await faultsIn(file, await read());
    if (first !== undefined) found.set(file, [first, ...others]);
  });
  return found;
}
