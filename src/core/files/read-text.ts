import { constants, openSync, statSync } from 'node:fs';
import { basename, dirname, join, parse, resolve } from 'node:path';
import { addAbortSignal, type Readable } from 'node:stream';
import { LocalError, UsageError, ValsError } from '../errors.ts';
import { asQuestion, nearest, sh } from '../lib/hint.ts';
import { isFile, readableNames, withSlashes } from '../lib/paths.ts';
import { largestFile, readPlainFile, tooLarge } from '../lib/plain-file.ts';
import { isMissing } from '../lib/system.ts';
import type { Say } from '../output/out.ts';
import type { Settings } from '../settings/settings.ts';
import { decode, fileError, missingFile, readBytesBelow } from './files.ts';
import { type FileLimits, placeWithin, refuseLinkToSecret } from './within.ts';

export interface Input {
  settings: Pick<Settings, 'cwd'>;
  host: {
    agent?: FileLimits | undefined;
    stdin: () => Readable & { isTTY?: boolean };
    signal: AbortSignal;
  };
  out: { say: Say };
}

export async function readCode(file: string, input: Input): Promise<string> {
  return checkIsCode(file, await readText(file, input));
}

export function checkIsCode(
  file: string,
  code: string,
  wayOut = 'leave the file out of the command',
): string {
  if (isLfsPointer(code)) {
    throw new LocalError(`${nameOf(file)} is only a pointer of Git LFS, and not the code.`, {
      ofMany: 'Each is only a pointer of Git LFS.',
      hint: 'To fetch the code, run `git lfs pull`. In CI, add `lfs: true` to actions/checkout.',
    });
  }
  if (code !== '') return code;
  throw new LocalError(`${nameOf(file)} is empty.`, {
    ofMany: 'Each is empty.',
    hint:
      file === '-' ? 'Send code that is not empty, or give a file.' : `Add code to the file, or ${wayOut}.`,
  });
}

/** Git LFS keeps the code elsewhere, and git has a text that says where. */
const isLfsPointer = (text: string): boolean => text.startsWith('version https://git-lfs.github.com/spec/');

export async function readText(file: string, input: Input): Promise<string> {
  return decode(nameOf(file), file === '-' ? await readStdin(input) : await readNamed(file, input));
}

const nameOf = (file: string): string => (file === '-' ? 'Standard input' : file);

async function readNamed(file: string, input: Input): Promise<Buffer> {
  if (file === '') throw new UsageError('The path of a file is empty.', { hint: 'Give the path of a file.' });
  try {
    const path = resolve(input.settings.cwd, file);
    if (input.host.agent) return readWithin(input.host.agent, path, file);
    const stats = statSync(path);
    if (stats.isDirectory()) throw isFolder(file);
    refuseLinkToSecret(path, file, input.settings.cwd);
    return stats.isFIFO() ? await readPipe(file, path, input) : readPlainFile(path, { followLinks: true });
  } catch (error) {
    if (isMissing(error)) throw missingFile(file, error, similarFile(file, input.settings.cwd));
    throw error instanceof ValsError ? error : fileError(file, error);
  }
}

/** People leave out the extension, misspell a name, or repeat the folder that they are in. */
export function similarFile(file: string, cwd: string): string {
  const name = basename(file);
  if (name !== file && isFile(resolve(cwd, name))) return asQuestion([name]);
  const folder = dirname(file);
  const names = readableNames(resolve(cwd, folder));
  const sameStem = names.filter((each) => parse(each).name === name);
  const similar = sameStem.length > 0 ? sameStem : nearest(name, names);
  return asQuestion(similar.map((each) => withSlashes(join(folder, each))));
}

function readWithin(limits: FileLimits, path: string, shownPath: string): Buffer {
  const { folder, below } = placeWithin(limits, path, shownPath);
  if (below === '') throw isFolder(shownPath);
  const bytes = readBytesBelow(folder, below, shownPath);
  if (bytes !== undefined) return bytes;
  throw missingFile(shownPath);
}

const isFolder = (file: string): UsageError =>
  new UsageError(`${file} is a folder, not a file.`, {
    hint: ['Give a file.', sh`To push a folder, run ${['push', file]}.`],
  });

async function readStdin(input: Input): Promise<Buffer> {
  const stream = input.host.stdin();
  if (stream.isTTY)
    input.out.say({ kind: 'lines', text: 'Reading standard input. To end the input, press Ctrl-D.\n' });
  return readStream('Standard input', stream, input);
}

/** The pipe is read as a socket, because Ctrl-C cannot interrupt a blocking read. */
async function readPipe(file: string, path: string, input: Input): Promise<Buffer> {
  const { Socket } = await import('node:net');
  const fd = openSync(path, constants.O_RDONLY | constants.O_NONBLOCK);
  return readStream(file, new Socket({ fd, readable: true, writable: false }), input);
}

async function readStream(name: string, stream: Readable, { host: { signal } }: Input): Promise<Buffer> {
  const chunks: Buffer[] = [];
  let length = 0;
  try {
    for await (const chunk of addAbortSignal(signal, stream)) {
      chunks.push(Buffer.from(chunk));
      length += chunk.length;
      if (length > largestFile) throw tooLarge();
    }
  } catch (error) {
    throw signal.aborted ? signal.reason : fileError(name, error);
  }
  return Buffer.concat(chunks);
}
