// The program inside the test's own process, with streams that only remember: a user could not tell the difference.
import { Readable, Writable } from 'node:stream';
import { type Clock, systemClock } from '../../src/lib/clock.ts';
import { main } from '../../src/main.ts';

export interface InProcessOptions {
  env: Record<string, string>;
  cwd?: string;
  /** Where somebody looks; a pipe otherwise. */
  terminal?: { columns: number };
  input?: string | Uint8Array;
  signal?: AbortSignal;
  clock?: Clock;
  /** Told of what stands on stdout and stderr, whenever more does. */
  heard?(output: Omit<Output, 'exit'>): void;
}

export interface Output {
  exit: number;
  stdout: string;
  stderr: string;
  /** Both streams in the order in which they were written, as a terminal shows them. */
  screen: string;
}

class Memory extends Writable {
  readonly isTTY: true | undefined;
  readonly columns: number | undefined;
  readonly #chunks: Buffer[] = [];
  readonly #heard: (chunk: Buffer) => void;

  constructor(columns: number | undefined, heard: (chunk: Buffer) => void) {
    super({ decodeStrings: true });
    this.#heard = heard;
    this.isTTY = columns === undefined ? undefined : true;
    this.columns = columns;
  }

  override _write(chunk: Buffer, _encoding: BufferEncoding, done: () => void): void {
    this.#chunks.push(chunk);
    this.#heard(chunk);
    done();
  }

  cursorTo(column: number): boolean {
    return this.write(`\u001b[${column + 1}G`);
  }

  clearLine(): boolean {
    return this.write('\u001b[2K');
  }

  moveCursor(_columns: number, rows: number): boolean {
    return this.write(`\u001b[${Math.abs(rows)}${rows < 0 ? 'A' : 'B'}`);
  }

  get text(): string {
    // A reader of bytes: what is not UTF-8, or a byte order mark that was taken off, would show.
    return new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(Buffer.concat(this.#chunks));
  }

  /** Of a real stream, all that the program uses. */
  asStream(): NodeJS.WriteStream {
    return this as unknown as NodeJS.WriteStream;
  }
}

export async function inProcess(argv: readonly string[], options: InProcessOptions): Promise<Output> {
  let screen = '';
  const heard = (chunk: Buffer) => {
    screen += chunk;
    options.heard?.({ stdout: stdout.text, stderr: stderr.text, screen });
  };
  const stdout: Memory = new Memory(options.terminal?.columns, heard);
  const stderr: Memory = new Memory(options.terminal?.columns, heard);
  const exit = await main({
    argv,
    env: options.env,
    cwd: options.cwd ?? process.cwd(),
    stdin: () => Readable.from([Buffer.from(options.input ?? '')]) as unknown as NodeJS.ReadStream,
    stdout: stdout.asStream(),
    stderr: stderr.asStream(),
    signal: options.signal ?? new AbortController().signal,
    clock: options.clock ?? systemClock,
  });
  return { exit, stdout: stdout.text, stderr: stderr.text, screen };
}
