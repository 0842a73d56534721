import { LocalError } from '../errors.ts';
import { type Redactor, redactedBytes } from './redactor.ts';

export interface Sink {
  readonly isTerminal: boolean;
  readonly color: boolean;
  readonly width: number;
  /** Resolves when the stream has taken the output, so that a slow reader slows the command down. */
  write(output: string | Buffer): Promise<void>;
  writeLong(text: string): Promise<void>;
}

export interface SinkOptions {
  /** What an error calls the stream. */
  name: string;
  redact: Redactor['redact'];
  env: NodeJS.ProcessEnv;
  color: boolean;
  beforeWriting?(): void;
  signal?: AbortSignal;
  page?(text: string): Promise<boolean>;
}

/** The program that reads the pipe has ended early, as `head` does. The command then ends with exit code 0. */
export class ReaderGone extends Error {}

export function createSink(
  stream: NodeJS.WriteStream,
  { name, redact, env, color, beforeWriting = () => {}, signal, page }: SinkOptions,
): Sink {
  const writeToStream = createWriter(stream, name, signal);
  const isLong = (text: string) =>
    stream.isTTY === true && stream.rows > 0 && text.split('\n', stream.rows + 1).length > stream.rows;
  const sink: Sink = {
    isTerminal: stream.isTTY === true,
    color,
    get width() {
      return widthOf(stream, env);
    },
    async writeLong(text) {
      if (page === undefined || !isLong(text)) return sink.write(text);
      beforeWriting();
      if (!(await page(redact(text)))) await sink.write(text);
    },
    async write(output) {
      beforeWriting();
      await writeToStream(typeof output === 'string' ? redact(output) : redactedBytes(output, redact));
    },
  };
  return sink;
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

function outputError(error: NodeJS.ErrnoException, name: string): Error {
  if (error.code === 'EPIPE' || error.code === 'ERR_STREAM_DESTROYED') return new ReaderGone();
  const full = error.code === 'ENOSPC';
  return new LocalError(`${name} could not be written: ${full ? 'no space is left' : error.message}.`, {
    hint: full
      ? 'Free some space, then run the command again.'
      : 'Check the file or program that receives the output.',
    cause: error,
  });
}
