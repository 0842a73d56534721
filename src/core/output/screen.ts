import { LocalError } from '../errors.ts';
import type { WriteHints } from '../lib/hint.ts';
import { type Redactor, redactedBytes } from '../lib/visible.ts';
import { createStyle, type Glyphs, type Style } from './style.ts';

/** Where output is drawn, and how: a terminal, or a pipe or file. */
export interface Screen {
  readonly isTerminal: boolean;
  readonly width: number;
  readonly glyphs: Glyphs;
  readonly kind: 'json' | 'ndjson' | 'text';
  /** What --fields chose. */
  readonly fields: readonly string[] | undefined;
  /** True for text at a terminal. With --color, also true for text in a pipe. */
  readonly forPerson: boolean;
  style(): Promise<Style>;
  now(): number;
  redact(text: string): string;
  redactPieces: Redactor['redactPieces'];
  writeHints: WriteHints;
  /** Resolves when the stream has taken the output, so that a slow reader slows the command down. */
  write(output: string | Buffer): Promise<void>;
}

export interface ScreenOptions
  extends Pick<
    Screen,
    'glyphs' | 'kind' | 'fields' | 'forPerson' | 'now' | 'redact' | 'redactPieces' | 'writeHints'
  > {
  /** What an error calls the stream. */
  name: string;
  env: NodeJS.ProcessEnv;
  color: boolean;
  beforeWriting?(): void;
  signal?: AbortSignal;
}

/** The program that reads the pipe has ended early, as `head` does. The command then ends with exit code 0. */
export class ReaderGone extends Error {}

export function createScreen(
  stream: NodeJS.WriteStream,
  { name, env, color, beforeWriting = () => {}, signal, ...options }: ScreenOptions,
): Screen {
  const { redact } = options;
  const writeToStream = createWriter(stream, name, signal);
  return {
    ...options,
    isTerminal: stream.isTTY === true,
    get width() {
      return widthOf(stream, env);
    },
    style: () => createStyle(color),
    async write(output) {
      beforeWriting();
      await writeToStream(typeof output === 'string' ? redact(output) : redactedBytes(output, redact));
    },
  };
}

function createWriter(
  stream: NodeJS.WriteStream,
  name: string,
  signal: AbortSignal | undefined,
): (output: string | Buffer) => Promise<void> {
  // Each write reports its own error. Without a listener, Node would throw the error as well.
  stream.on('error', () => {});
  // If the reader stops reading, a write may never end. So an interrupt rejects all writes that do not end within one
  // turn of the event loop.
  const underWay: ((reason: unknown) => void)[] = [];
  const interrupt = () => {
    for (const reject of [...underWay]) reject(signal?.reason);
  };
  // All writes share one listener, because a listener for each write would keep the written text in memory.
  signal?.addEventListener('abort', () => setImmediate(interrupt));
  return (output) =>
    new Promise((resolve, reject) => {
      underWay.push(reject);
      stream.write(output, (error) => {
        underWay.splice(underWay.indexOf(reject), 1);
        if (error) reject(outputError(error, name));
        else resolve();
      });
    });
}

export const widthOf = ({ columns }: NodeJS.WriteStream, { COLUMNS = '' }: NodeJS.ProcessEnv): number =>
  /^[1-9]\d{0,4}$/.test(COLUMNS) ? Number(COLUMNS) : columns || 80;

export function outputError(error: NodeJS.ErrnoException, name: string): Error {
  if (error.code === 'EPIPE' || error.code === 'ERR_STREAM_DESTROYED') return new ReaderGone();
  const full = error.code === 'ENOSPC';
  return new LocalError(`${name} could not be written: ${full ? 'no space is left' : error.message}.`, {
    hint: full
      ? 'Free some space, then run the command again.'
      : 'Check the file or program that receives the output.',
    cause: error,
  });
}
