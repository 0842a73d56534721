// The way back to vals. When vals is gone, so is the val.
import { bytesFrame, type ModuleAnswer, messageFrame, type Report, type Start } from '../protocol.ts';

export interface Pipe {
  start: Promise<Start>;
  /** vals is waited for: nothing else of the val can go on without the module. */
  ask(specifier: string, from: string): ModuleAnswer;
  send(report: Report): Promise<void>;
  sendBytes(bytes: Uint8Array): Promise<void>;
}

/** What a runtime has for it. */
export interface Ways extends Pick<Pipe, 'start' | 'ask'> {
  write(frame: Buffer): Promise<void>;
}

/** As much as goes in one piece, so that a long value is never in memory a second time. */
const pieceBytes = 1 << 20;
const lookEveryMs = 500;

export function createPipe({ start, ask, write }: Ways): Pipe {
  const parent = process.ppid;
  setInterval(() => process.ppid === parent || end(), lookEveryMs).unref();
  return {
    start,
    ask,
    send: (report) => write(messageFrame(report)),
    async sendBytes(bytes) {
      for (let from = 0; from < bytes.length; from += pieceBytes) {
        await write(bytesFrame(bytes.subarray(from, from + pieceBytes)));
      }
    },
  };
}

/** With all that it started: the process has a group of its own. */
export function end(): void {
  try {
    process.kill(-process.pid, 'SIGKILL');
  } catch {
    // Deno does not let it, and not every system has groups.
    process.exit(1);
  }
}
