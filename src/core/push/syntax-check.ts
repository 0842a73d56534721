import type { Context } from '../command-line/command.ts';
import { LocalError } from '../errors.ts';
import type { SyntaxFault } from '../files/check-syntax.ts';
import { readCode } from '../files/read-text.ts';
import { type FoundFile, readInFolder } from '../files/walk.ts';
import { forEach } from '../http/for-each.ts';
import { wait } from '../lib/clock.ts';
import { faultsIn, isChecked } from './syntax.ts';

/** A file to read, whether a workspace has it or not. */
export interface SourceFile {
  /** As a person would type it, or - for standard input. */
  file: string;
  read(): Promise<string>;
}

export function sourceFile(context: Context, { file, inFolder }: FoundFile): SourceFile {
  if (inFolder !== undefined) return { file, read: async () => readInFolder(file, inFolder) };
  return { file, read: async () => readCode(file, context) };
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

type FaultsByFile = ReadonlyMap<string, readonly [SyntaxFault, ...SyntaxFault[]]>;

/** By their paths, only files with a syntax error. */
export async function syntaxFaults(context: Context, files: readonly SourceFile[]): Promise<FaultsByFile> {
  try {
    return await parseAll(files);
  } catch (error) {
    // Ctrl-C at a terminal ends the process of esbuild, too, and that may be noticed first.
    const { clock, signal } = context.host;
    await wait(clock, 50, signal);
    signal.throwIfAborted();
    throw error;
  }
}

async function parseAll(files: readonly SourceFile[]): Promise<FaultsByFile> {
  const found = new Map<string, [SyntaxFault, ...SyntaxFault[]]>();
  const checked = files.filter(({ file }) => isChecked(file));
  await forEach(checked, 'auto', async ({ file, read }) => {
    const [first, ...others] = await faultsIn(file, await read());
    if (first !== undefined) found.set(file, [first, ...others]);
  });
  return found;
}
