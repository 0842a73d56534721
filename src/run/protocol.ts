// What vals and the process of the val say to each other, and how it goes over their pipe.

/** The pipe's number in the process of the val. */
export const pipeNumber = 3;

/** Headers between vals and a val that serves: no other caller is answered, and a failure names its request. */
export const secretHeader = 'x-vals-secret';
export const requestHeader = 'x-vals-request';

/** From vals to the val. */
export type Order = { start: Start } | { module: ModuleAnswer };

export interface Start {
  entry: ModuleAnswer;
  args: string[];
  /** Requests instead of one call. */
  serve?: { secret: string };
}

/** What an import leads to. */
export type ModuleAnswer =
  /** Code of the val, ready to run. */
  | { id: string; code: string; path?: string; packagesFrom: string }
  /** What the runtime itself loads: its own modules, packages, JSON; with Deno the val too. */
  | { native: string; json: boolean; packagesFrom: string }
  /** vals says why, and knows the failure by its number. */
  | { failure: number; message: string };

/** From the val to vals; the bytes of a value follow it. */
export type Report =
  | { load: { specifier: string; from: string } }
  | { value: 'text' | 'json' | 'none' }
  | { done: true }
  /** Of one request where it has a number; the val goes on then. */
  | { failed: Thrown; request?: number }
  | { unfinished: true }
  | { listening: number };

/** What was thrown, as far as it can be told to another process. */
export interface Thrown {
  text: string;
  stack: string;
  /** The permission model refused what it tried. */
  isDenied?: boolean;
  /** Of a failure that vals found itself. */
  failure?: number;
  /** The module whose code V8 refused. */
  refused?: string;
  /** The import that the runtime could not follow. */
  importing?: { specifier: string; from: string; code: string };
}

const headBytes = 5;
const kinds = { message: 0, bytes: 1 };

export const messageFrame = (message: Order | Report): Buffer =>
  frame(kinds.message, Buffer.from(JSON.stringify(message)));
export const bytesFrame = (bytes: Uint8Array): Buffer => frame(kinds.bytes, bytes);

function frame(kind: number, payload: Uint8Array): Buffer {
  const head = Buffer.alloc(headBytes);
  head.writeUInt8(kind, 0);
  head.writeUInt32LE(payload.length, 1);
  return Buffer.concat([head, payload]);
}

/** Takes what comes in pieces; calls back for each whole frame. */
export function frameReader<Message>(
  onMessage: (message: Message) => void,
  onBytes: (bytes: Buffer) => void = () => {},
): (piece: Buffer) => void {
  let pieces: Buffer[] = [];
  let length = 0;
  let wanted = headBytes;
  return (piece) => {
    pieces.push(piece);
    length += piece.length;
    while (length >= wanted) {
      const whole = pieces.length === 1 ? (pieces[0] as Buffer) : Buffer.concat(pieces);
      const size = headBytes + whole.readUInt32LE(1);
      if (length < size) {
        pieces = [whole];
        wanted = size;
        return;
      }
      const payload = whole.subarray(headBytes, size);
      const rest = whole.subarray(size);
      pieces = rest.length === 0 ? [] : [rest];
      length = rest.length;
      wanted = headBytes;
      if (whole.readUInt8(0) === kinds.bytes) onBytes(payload);
      else onMessage(JSON.parse(payload.toString()));
    }
  };
}
