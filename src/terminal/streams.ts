// Where text leaves the program: whole, without the token, and ended when its reader has gone.
import { LocalError } from '../errors.ts';

export interface Sink {
  readonly isTerminal: boolean;
  readonly width: number;
  /**
   * Resolves when the text is on its way, so that a slow reader slows us down. The token is looked for here, and
   * where it is found, `clean` is written instead.
   */
  write(output: string | Buffer, clean?: () => string): Promise<void>;
  /** The same, through a pager where it is longer than the screen and there is one. */
  writeLong(text: string, clean?: () => string): Promise<void>;
}

export interface SinkOptions {
  env: NodeJS.ProcessEnv;
  beforeWriting?(): void;
  /** A terminal is written to until it is through, and one that stands still keeps us from hearing. */
  endable?<T>(work: () => T | Promise<T>): Promise<T>;
  /** Ends the waiting for a reader. */
  signal?: AbortSignal;
  /** False where there is no pager, so that nothing was shown. */
  page?(text: string): Promise<boolean>;
}

/** The reader of the pipe went away, which is its right. */
export class ReaderGone extends Error {}

/** Finds and replaces the secrets it was told of. */
export interface Redactor {
  add(secret: string | undefined): void;
  redact(text: string): string;
  /** Whether one of them is in there. */
  isIn(output: string | Buffer): boolean;
}

/** A shorter word is no secret, and taking it out would tear holes into ordinary text. */
const shortestSecret = 8;

export function createRedactor(): Redactor {
  const secrets = new Set<string>();
  return {
    add(secret) {
      if (secret === undefined || secret.length < shortestSecret) return;
      for (const form of [secret, JSON.stringify(secret).slice(1, -1), encodeURIComponent(secret)])
        secrets.add(form);
    },
    redact(text) {
      let clean = text;
      for (const secret of secrets) if (clean.includes(secret)) clean = clean.replaceAll(secret, '***');
      return clean;
    },
    isIn: (output) => [...secrets].some((secret) => output.includes(secret)),
  };
}

export function createSink(
  stream: NodeJS.WriteStream,
  name: string,
  redactor: Redactor,
  { env, beforeWriting = () => {}, endable = async (work) => work(), signal, page }: SinkOptions,
): Sink {
  let failure: Error | undefined;
  stream.on('error', (error) => {
    failure ??= error;
  });
  // A reader that stopped reading keeps a write from its end, and may never let it come. One listener for all writes:
  // each that comes and goes would keep the next one, and what was written, from being freed.
  const underWay: ((reason: unknown) => void)[] = [];
  const interrupt = () => {
    for (const reject of [...underWay]) reject(signal?.reason);
  };
  // In a turn's time, what can be written is written.
  signal?.addEventListener('abort', () => setImmediate(interrupt));
  const checked = <Output extends string | Buffer>(output: Output, clean = () => output.toString()) =>
    redactor.isIn(output) ? redactor.redact(clean()) : output;
  const isLong = (text: string) =>
    stream.isTTY === true && stream.rows > 0 && text.split('\n', stream.rows + 1).length > stream.rows;
  const sink: Sink = {
    isTerminal: stream.isTTY === true,
    get width() {
      return widthOf(stream, env);
    },
    async writeLong(text, clean) {
      if (page === undefined || !isLong(text)) return sink.write(text, clean);
      beforeWriting();
      const shown = checked(text, clean);
      if (!(await page(shown))) await sink.write(shown);
    },
    write(output, clean) {
      beforeWriting();
      const written = checked(output, clean);
      const write = () =>
        new Promise<void>((resolve, reject) => {
          if (failure !== undefined) return reject(outputError(failure, name));
          underWay.push(reject);
          stream.write(written, (error) => {
            underWay.splice(underWay.indexOf(reject), 1);
            if (error) reject(outputError(error, name));
            else resolve();
          });
        });
      return stream.isTTY ? endable(write) : write();
    },
  };
  return sink;
}

/** COLUMNS comes before the width that the terminal reports. */
export const widthOf = ({ columns }: NodeJS.WriteStream, { COLUMNS = '' }: NodeJS.ProcessEnv): number =>
  /^[1-9]\d{0,4}$/.test(COLUMNS) ? Number(COLUMNS) : columns || 80;

function outputError(error: NodeJS.ErrnoException, name: string): Error {
  if (error.code === 'EPIPE' || error.code === 'ERR_STREAM_DESTROYED') return new ReaderGone();
  const full = error.code === 'ENOSPC';
  return new LocalError(`${name} could not be written: ${full ? 'no space is left' : error.message}.`, {
    hint: full ? 'Free some space, then run it again.' : 'See where it leads.',
    cause: error,
  });
}
