/**
 * The val's process has two more channels than other programs. On `modules`, the loader asks for the code of a module
 * and waits for the reply. On `events`, the process tells what the val does.
 */
export const channels = { modules: 3, events: 4 } as const;

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
  /** The val failed after the answer to a request had begun. */
  | { kind: 'broke off'; thrown: Thrown };

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
 * secret, vals asks when all work is done. In an answer, the secret and what the val threw: it failed on the request.
 */
export const secretHeader = 'vals-secret';

export const withSecret = (secret: string, thrown: Thrown): string =>
  `${secret} ${Buffer.from(JSON.stringify(thrown)).toString('base64')}`;

export function thrownIn(header: string | string[] | undefined, secret: string): Thrown | undefined {
  const [first, thrown] = `${header}`.split(' ');
  return first === secret ? JSON.parse(Buffer.from(thrown ?? '', 'base64').toString()) : undefined;
}

/** Between vals and the val, headers may be longer than Node allows, so that Node's limit counts only once. */
export const mostHeaderBytes = 1 << 21;

export const frameKinds = { message: 0, value: 1, log: 2 } as const;
export type FrameKind = (typeof frameKinds)[keyof typeof frameKinds];

const headBytes = 5;

export function frame(kind: FrameKind, payload: Uint8Array): Buffer {
  const head = Buffer.alloc(headBytes);
  head.writeUInt8(kind, 0);
  head.writeUInt32LE(payload.length, 1);
  return Buffer.concat([head, payload]);
}

export const messageFrame = (message: ModuleRequest | ModuleReply | ValEvent): Buffer =>
  frame(frameKinds.message, Buffer.from(JSON.stringify(message)));

export function frameReader(onFrame: (kind: number, payload: Buffer) => void): (piece: Buffer) => void {
  let pieces: Buffer[] = [];
  let length = 0;
  let wanted = headBytes;
  return (piece) => {
    pieces.push(piece);
    length += piece.length;
    while (length >= wanted) {
      const whole = Buffer.concat(pieces);
      const size = headBytes + whole.readUInt32LE(1);
      if (length < size) {
        pieces = [whole];
        wanted = size;
        return;
      }
      const rest = whole.subarray(size);
      pieces = rest.length === 0 ? [] : [rest];
      length = rest.length;
      wanted = headBytes;
      onFrame(whole.readUInt8(0), whole.subarray(headBytes, size));
    }
  };
}
