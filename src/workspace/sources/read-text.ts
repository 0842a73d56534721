// Code and other text, read from a file or standard input, byte for byte, or refused with the reason.
import { isUtf8 } from 'node:buffer';
import { readFileSync, statSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { LocalError, UsageError, ValsError } from '../../errors.ts';

/** Where standard input comes from, and what is said while somebody types it. */
export interface Input {
  stdin: () => NodeJS.ReadStream;
  signal: AbortSignal;
  banner(lines: string): void;
}

/** Code must not be empty: pushing nothing over something is never meant. */
export async function readCode(file: string, input: Input): Promise<string> {
  return notEmpty(file, await readText(file, input));
}

export function notEmpty(file: string, code: string): string {
  if (code !== '') return code;
  throw new LocalError(`${nameOf(file)} is empty.`, {
    hint: 'A val needs code: write some, or leave it out.',
  });
}

export async function readText(file: string, input: Input): Promise<string> {
  return file === '-' ? decode(file, await readStdin(input)) : readFileText(file);
}

export function decode(file: string, bytes: Buffer): string {
  if (isUtf8(bytes)) return bytes.toString();
  throw new LocalError(`${nameOf(file)} is not UTF-8.`, { hint: 'Save it as UTF-8, then run it again.' });
}

const nameOf = (file: string): string => (file === '-' ? 'Standard input' : file);

async function readFileText(file: string): Promise<string> {
  try {
    const stats = statSync(file);
    if (stats.isDirectory()) {
      throw new UsageError(`${file} is a folder, not a file.`, {
        hint: 'Name a file; `vals push` takes folders.',
      });
    }
    // A file is there at once, and many are read five times as fast so. A pipe may have us wait.
    if (!stats.isFile()) return decode(file, await readFile(file));
    const text = readFileSync(file, 'utf8');
    // Where bytes are not UTF-8 stands this character, which can also be in a text of its own right.
    return text.includes('\ufffd') ? decode(file, readFileSync(file)) : text;
  } catch (error) {
    throw error instanceof ValsError ? error : fileError(file, error);
  }
}

export function fileError(file: string, error: unknown): LocalError {
  const { code, message } = error as NodeJS.ErrnoException;
  const problems: Record<string, string> = {
    ENOENT: 'does not exist',
    EACCES: 'may not be read by you',
    EPERM: 'may not be read by you',
    ENOTDIR: 'does not exist',
    ELOOP: 'is a link that leads in a circle',
  };
  return new LocalError(`${file} ${problems[code ?? ''] ?? `could not be read: ${message}`}.`, {
    hint: 'Check the path.',
    cause: error,
  });
}

async function readStdin({ stdin, signal, banner }: Input): Promise<Buffer> {
  const stream = stdin();
  if (stream.isTTY) banner('Reading standard input; Ctrl-D ends it.\n');
  const chunks: Buffer[] = [];
  const stop = () => stream.destroy(signal.reason);
  signal.addEventListener('abort', stop, { once: true });
  try {
    signal.throwIfAborted();
    for await (const chunk of stream) chunks.push(Buffer.from(chunk));
  } catch (error) {
    throw signal.aborted ? signal.reason : fileError('Standard input', error);
  } finally {
    signal.removeEventListener('abort', stop);
  }
  return Buffer.concat(chunks);
}
