// The messages between the parent (`vals run`) and the child (the process of the val), and the frames of these messages
// on the pipe.

export const pipeDescriptor = 3;

/**
 * The headers of a request to a child that serves requests. `secretHeader` proves that the request comes from the
 * parent. `requestHeader` contains the number of the request.
 */
export const secretHeader = 'x-vals-secret';
export const requestHeader = 'x-vals-request';

/** A message from the parent to the child. */
export type Order = { start: Start } | { module: ModuleAnswer };

export interface Start {
  entry: ModuleAnswer;
  args: string[];
  /** Set if the val serves requests. Otherwise the val is called once. */
  serve?: { secret: string };
}

export type ModuleAnswer =
  /** The transpiled code of one of the val's files. */
  | { id: string; code: string; map: string; path?: string }
  | { id: string; json: string }
  /** A package or a built-in module of Node. Node loads it as if the file `packagesFrom` contained the import. */
  | { native: string; packagesFrom: string }
  /** The import failed. `failure` is the number under which the parent keeps the error. */
  | { failure: number; message: string };

/** A message from the child to the parent. The bytes of a value follow the report `value`. */
export type Report =
  | { load: { specifier: string; from: string } }
  | { value: ValueKind }
  /** `isSilent` is true if the val exported nothing to call and printed nothing. */
  | { done: true; isSilent?: boolean }
  /** If `request` is set, only that request failed, and the child continues. */
  | { failed: Thrown; request?: number }
  | { unfinished: true }
  | { listening: number };

const valueKinds = ['text', 'json', 'none'] as const;
export type ValueKind = (typeof valueKinds)[number];

/** Describes the value that the val threw, as far as the child can send it to the parent. */
export interface Thrown {
  text: string;
  stack: string;
  /** True if the sandbox denied an access. */
  isDenied?: boolean;
  /** The number under which the parent keeps the error, if the parent found the failure. */
  failure?: number;
  /** The id of the module whose code V8 refused. */
  refused?: string;
  /** The import that Node could not load. */
  importing?: { specifier: string; from: string; code: string };
}

/** The val's code can write to the pipe too, so a message may contain anything. */
function isReport(value: unknown): value is Report {
  if (!isObject(value)) return false;
  if ('load' in value) return hasTexts(value.load, ['specifier', 'from']);
  if ('value' in value) return valueKinds.some((kind) => kind === value.value);
  if ('failed' in value) {
    return isThrown(value.failed) && (value.request === undefined || Number.isInteger(value.request));
  }
  if ('listening' in value) return isPort(value.listening);
  return value.done === true || value.unfinished === true;
}

function isThrown(value: unknown): value is Thrown {
  if (!hasTexts(value, ['text', 'stack'])) return false;
  const { refused, importing } = value;
  return (
    (refused === undefined || typeof refused === 'string') &&
    (importing === undefined || hasTexts(importing, ['specifier', 'from', 'code']))
  );
}

const isPort = (value: unknown): boolean =>
  Number.isInteger(value) && Number(value) > 0 && Number(value) < 65_536;

const isObject = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null;

const hasTexts = (value: unknown, keys: readonly string[]): value is Record<string, unknown> =>
  isObject(value) && keys.every((key) => typeof value[key] === 'string');

const headBytes = 5;
const kinds = { message: 0, bytes: 1 };
/** Limits the memory that a hostile val can use. A valid report is much smaller. */
const mostReportBytes = 16 * 1_048_576;

export const messageFrame = (message: Order | Report): Buffer =>
  frame(kinds.message, Buffer.from(JSON.stringify(message)));
export const bytesFrame = (bytes: Uint8Array): Buffer => frame(kinds.bytes, bytes);

function frame(kind: number, payload: Uint8Array): Buffer {
  const head = Buffer.alloc(headBytes);
  head.writeUInt8(kind, 0);
  head.writeUInt32LE(payload.length, 1);
  return Buffer.concat([head, payload]);
}

/** Reads reports. Throws if the val wrote something else to the pipe. */
export function reportReader(
  onReport: (report: Report) => void,
  onBytes: (bytes: Buffer) => void,
): (piece: Buffer) => void {
  const onMessage = (message: unknown) => {
    if (!isReport(message)) throw new Error('This is not a report.');
    onReport(message);
  };
  return frameReader(onMessage, onBytes, mostReportBytes);
}

export const orderReader = (onOrder: (order: Order) => void): ((piece: Buffer) => void) =>
  frameReader(onOrder, () => {}, Number.POSITIVE_INFINITY);

function frameReader<Message>(
  onMessage: (message: Message) => void,
  onBytes: (bytes: Buffer) => void,
  mostBytes: number,
): (piece: Buffer) => void {
  let pieces: Buffer[] = [];
  let length = 0;
  let wanted = headBytes;
  return (piece) => {
    pieces.push(piece);
    length += piece.length;
    while (length >= wanted) {
      const [first = piece] = pieces;
      const whole = pieces.length === 1 ? first : Buffer.concat(pieces);
      const size = headBytes + whole.readUInt32LE(1);
      if (size > mostBytes) throw new Error('This frame is too large.');
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
