// Where text leaves the program: whole, without the token, and with an end when nobody reads any more.
import { LocalError } from '../errors.ts';

export interface Sink {
  readonly isTerminal: boolean;
  readonly width: number;
  /** Resolves when the text is on its way, so that a slow reader slows us down. */
  write(output: string | Buffer): Promise<void>;
}

/** The reader of the pipe went away, which is its right. */
export class ReaderGone extends Error {}

/** Finds and replaces the secrets it was told of. */
export interface Redactor {
  add(secret: string | undefined): void;
  redact(text: string): string;
  /** Whether one of them is in there. */
  isIn(bytes: Buffer): boolean;
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
    isIn: (bytes) => [...secrets].some((secret) => bytes.includes(secret)),
  };
}

export function createSink(
  stream: NodeJS.WriteStream,
  name: string,
  redactor: Redactor,
  beforeWriting: () => void = () => {},
): Sink {
  let failure: Error | undefined;
  stream.on('error', (error) => {
    failure ??= error;
  });
  return {
    isTerminal: stream.isTTY === true,
    get width() {
      return stream.columns || 80;
    },
    write(output) {
      beforeWriting();
      const isClean = output instanceof Buffer && !redactor.isIn(output);
      return new Promise((resolve, reject) => {
        if (failure !== undefined) return reject(outputError(failure, name));
        stream.write(isClean ? output : redactor.redact(output.toString()), (error) =>
          error ? reject(outputError(error, name)) : resolve(),
        );
      });
    },
  };
}

function outputError(error: NodeJS.ErrnoException, name: string): Error {
  if (error.code === 'EPIPE' || error.code === 'ERR_STREAM_DESTROYED') return new ReaderGone();
  const full = error.code === 'ENOSPC';
  return new LocalError(`${name} could not be written: ${full ? 'no space is left' : error.message}.`, {
    hint: full ? 'Free some space, then run it again.' : 'See where it leads.',
    cause: error,
  });
}
