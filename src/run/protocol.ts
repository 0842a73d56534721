/**
 * The val's process has four more channels than other programs. On `modules`, the loader asks for the code of a module
 * and waits for the reply. On `events`, the process tells what the val does. On `value` and `log` come the bytes of what
 * the val returned and of what it printed.
 */
export const channels = { modules: 3, events: 4, value: 5, log: 6 } as const;

export type ModuleRequest =
  | { kind: 'load'; url: string; code?: string }
  | { kind: 'find'; specifier: string; written?: string; from?: string; missing?: string }
  /** Asks only `paths` of tsconfig.json. */
  | { kind: 'map'; specifier: string; from: string }
  | { kind: 'fetch'; url: string; specifier: string; from?: string }
  | { kind: 'used'; url: string };

export type ModuleFormat = 'module' | 'commonjs' | 'json';

export type ModuleReply =
  | { kind: 'module'; format: ModuleFormat; source: string; hasPaths?: boolean }
  /** The file is JavaScript that Node can load. */
  | { kind: 'plain'; format: ModuleFormat; hasPaths?: boolean }
  | { kind: 'url'; url: string | undefined }
  | { kind: 'failed'; message: string };

export type ValueKind = 'text' | 'bytes' | 'json' | 'none';

export type ValEvent =
  | { kind: 'value'; of: ValueKind }
  | { kind: 'returned' }
  /** The process ends. */
  | { kind: 'failed'; thrown: Thrown }
  | { kind: 'ready'; port: number; secret: string }
  /** The val failed on a request, and its process goes on. */
  | { kind: 'threw'; thrown: Thrown };

export interface Thrown {
  /** The name and the message of the error. */
  text: string;
  /** The error as Node shows it: stack, causes and other properties. */
  whole: string;
  code?: string;
  permission?: string;
  resource?: string;
  takesRequests?: boolean;
}

/**
 * A process that serves requests answers only those that carry its secret in this header. With the word `idle` after the
 * secret, vals asks when all work is done.
 */
export const secretHeader = 'vals-secret';

/** Between vals and the val, headers may be longer than Node allows, so that Node's limit counts only once. */
export const mostHeaderBytes = 1 << 21;

const headBytes = 4;

export function frame(message: ModuleRequest | ModuleReply | ValEvent): Buffer {
  const payload = Buffer.from(JSON.stringify(message));
  const head = Buffer.alloc(headBytes);
  head.writeUInt32LE(payload.length);
  return Buffer.concat([head, payload]);
}

export function frameReader<Message>(onMessage: (message: Message) => void): (piece: Buffer) => void {
  let pieces: Buffer[] = [];
  let length = 0;
  let wanted = headBytes;
  return (piece) => {
    pieces.push(piece);
    length += piece.length;
    while (length >= wanted) {
      const whole = Buffer.concat(pieces);
      const size = headBytes + whole.readUInt32LE();
      if (length < size) {
        pieces = [whole];
        wanted = size;
        return;
      }
      const rest = whole.subarray(size);
      pieces = rest.length === 0 ? [] : [rest];
      length = rest.length;
      wanted = headBytes;
      onMessage(JSON.parse(whole.toString('utf8', headBytes, size)));
    }
  };
}
