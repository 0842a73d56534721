import { LocalError } from '../errors.ts';
import { holdsSecret, shortestSecret, withoutInvisible } from '../lib/visible.ts';

export interface Sink {
  readonly isTerminal: boolean;
  readonly width: number;
  /**
   * Resolves when the stream has taken the output, so that a slow reader slows the command down. If the output
   * contains the token, the result of `redacted` is written instead.
   */
  write(output: string | Buffer, redacted?: () => string): Promise<void>;
  writeLong(text: string, redacted?: () => string): Promise<void>;
}

export interface SinkOptions {
  env: NodeJS.ProcessEnv;
  beforeWriting?(): void;
  interruptible?<T>(work: () => T | Promise<T>): Promise<T>;
  signal?: AbortSignal;
  page?(text: string): Promise<boolean>;
}

/** The program that reads the pipe has ended early, as `head` does. The command then ends with exit code 0. */
export class ReaderGone extends Error {}

export interface Redactor {
  add(secret: string | undefined): void;
  redact(text: string): string;
  findsSecretIn(output: string | Buffer): boolean;
}

export function createRedactor(): Redactor {
  const secrets = new Set<string>();
  const replaceSecrets = (text: string) =>
    [...secrets].reduce((clean, secret) => clean.replaceAll(secret, '***'), text);
  return {
    add(secret) {
      if (secret === undefined || secret.length < shortestSecret) return;
      for (const form of [secret, JSON.stringify(secret).slice(1, -1), encodeURIComponent(secret)])
        secrets.add(form);
    },
    redact(text) {
      const redacted = replaceSecrets(text);
      const bare = withoutInvisible(redacted);
      const redactedBare = replaceSecrets(bare);
      // If invisible characters split a secret, only `bare` contains the whole secret.
      return redactedBare === bare ? redacted : redactedBare;
    },
    findsSecretIn(output) {
      const text = output.toString();
      return [...secrets].some((secret) => holdsSecret(text, secret));
    },
  };
}

export function createSink(
  stream: NodeJS.WriteStream,
  name: string,
  redactor: Redactor,
  { env, beforeWriting = () => {}, interruptible = async (work) => work(), signal, page }: SinkOptions,
): Sink {
  const writeToStream = createWriter(stream, name, signal);
  const withoutSecrets = <Output extends string | Buffer>(output: Output, redacted?: () => string) =>
    redactor.findsSecretIn(output) ? redactor.redact(redacted?.() ?? output.toString()) : output;
  const isLong = (text: string) =>
    stream.isTTY === true && stream.rows > 0 && text.split('\n', stream.rows + 1).length > stream.rows;
  const sink: Sink = {
    isTerminal: stream.isTTY === true,
    get width() {
      return widthOf(stream, env);
    },
    async writeLong(text, redacted) {
      if (page === undefined || !isLong(text)) return sink.write(text, redacted);
      beforeWriting();
      const shown = withoutSecrets(text, redacted);
      if (!(await page(shown))) await sink.write(shown);
    },
    write(output, redacted) {
      beforeWriting();
      const written = withoutSecrets(output, redacted);
      return stream.isTTY ? interruptible(() => writeToStream(written)) : writeToStream(written);
    },
  };
  return sink;
}

function createWriter(
  stream: NodeJS.WriteStream,
  name: string,
  signal: AbortSignal | undefined,
): (output: string | Buffer) => Promise<void> {
  let failure: Error | undefined;
  stream.on('error', (error) => {
    failure ??= error;
  });
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
      if (failure !== undefined) return reject(outputError(failure, name));
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
