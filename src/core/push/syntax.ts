import { extname } from 'node:path';
import type { Context, OptionDefinition } from '../command-line/command.ts';
import { LocalError } from '../errors.ts';
import { canCheck, findSyntaxFaults, type SyntaxFault } from '../files/check-syntax.ts';
import { readCode } from '../files/read-text.ts';
import { type FoundFile, readInFolder } from '../files/walk.ts';
import { forEach } from '../http/request/limiter.ts';
import type { Hints } from '../lib/hint.ts';
import { wait } from '../lib/waiting.ts';

export const noCheck = {
  description: 'send the code even if it has a syntax error',
  rare: true,
} satisfies OptionDefinition;

/** A file with another extension, which the user named, is not checked. `-` is standard input. */
const isChecked = (file: string): boolean => file === '-' || canCheck(extname(file));

const faultsIn = (file: string, code: string): Promise<SyntaxFault[]> =>
  findSyntaxFaults(code, file === '-' ? undefined : extname(file));

export async function refuseBrokenCode(
  file: string,
  code: string,
  { noCheck = false }: { noCheck?: boolean | undefined },
): Promise<void> {
  if (noCheck || !isChecked(file)) return;
  const [fault] = await faultsIn(file, code);
  if (fault !== undefined) throw syntaxError(file, fault);
}

export function syntaxError(
  file: string,
  { line, column, message, lineText }: SyntaxFault,
  hint: Hints = ['Fix the code.', 'To send it as it is, add --no-check.'],
): LocalError {
  const problem = 'has a syntax error';
  const subject =
    file === '-' ? `The code ${problem} at ${line}:${column}` : `${file}:${line}:${column} ${problem}`;
  const code = excerpt(lineText, column);
  // Code that ends too early ends after its last line break, on a line without text.
  const where = code === '' ? '' : ` The line is \`${code}\`.`;
  return new LocalError(`${subject}: ${message}.${where}`, {
    hint,
    place: { line, column },
  });
}

const longestExcerpt = 100;

/** A minified file can be one line of many thousand characters. */
function excerpt(line: string, column: number): string {
  const characters = [...line];
  if (characters.length <= longestExcerpt) return line.trim();
  const start = Math.max(0, column - longestExcerpt / 2);
  return characters
    .slice(start, start + longestExcerpt)
    .join('')
    .trim();
}

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
