import { resolve } from 'node:path';
import { PassThrough, Readable, Writable } from 'node:stream';
import { type Clock, systemClock } from '../../src/core/lib/waiting.ts';
import { main } from '../../src/main.ts';

export interface InProcessOptions {
  env: Record<string, string>;
  cwd?: string;
  terminal?: { columns: number };
  answers?: readonly Answer[];
  input?: string | Uint8Array | Readable;
  signal?: AbortSignal;
  clock?: Clock;
  /** For what does not depend on the disk of this machine. */
  platform?: NodeJS.Platform;
  heard?(output: Omit<Output, 'exit'>): unknown;
}

export interface Answer {
  after: string;
  keys: string;
  /** Runs while the question is open. */
  beforeKeys?(): Promise<unknown>;
}

export interface Output {
  exit: number;
  stdout: string;
  stderr: string;
  screen: string;
}

class Keyboard extends PassThrough {
  readonly isTTY = true;

  setRawMode(): this {
    return this;
  }
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
    // `fatal` throws on bytes that are not UTF-8, and `ignoreBOM` keeps a byte order mark, so no byte is hidden.
    return new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(Buffer.concat(this.#chunks));
  }

  asStream(): NodeJS.WriteStream {
    return this as unknown as NodeJS.WriteStream;
  }
}

export async function inProcess(argv: readonly string[], options: InProcessOptions): Promise<Output> {
  let screen = '';
  const keyboard = new Keyboard();
  const answers = [...(options.answers ?? [])];
  const heard = (chunk: Buffer) => {
    screen += chunk;
    options.heard?.({ stdout: stdout.text, stderr: stderr.text, screen });
    const [next] = answers;
    if (next === undefined || !screen.includes(next.after)) return;
    answers.shift();
    // The program reads keys only after it has written its question, so the keys come a moment later.
    setImmediate(async () => {
      await next.beforeKeys?.();
      keyboard.write(next.keys);
    });
  };
  const stdout: Memory = new Memory(options.terminal?.columns, heard);
  const stderr: Memory = new Memory(options.terminal?.columns, heard);
  const { input = '' } = options;
  const piped = input instanceof Readable ? input : Readable.from([Buffer.from(input)]);
  const exit = await main({
    argv,
    env: options.env,
    system: { platform: options.platform ?? process.platform, uid: process.getuid?.() },
    cwd: () => options.cwd ?? process.cwd(),
    stdin: () => (options.answers ? keyboard : piped) as unknown as NodeJS.ReadStream,
    stdout: stdout.asStream(),
    stderr: stderr.asStream(),
    signal: options.signal ?? new AbortController().signal,
    dist: resolve('dist'),
    clock: options.clock ?? systemClock,
    node: { path: process.execPath, version: process.versions.node },
  });
  return { exit, stdout: stdout.text, stderr: stderr.text, screen };
}
