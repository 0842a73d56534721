export const pipeDescriptor = 3;

export const secretHeader = 'x-vals-secret';
export const requestHeader = 'x-vals-request';

export type Order = { start: Start } | { module: ModuleAnswer };

export interface Start {
  entry: ModuleAnswer;
  args: string[];
  serve?: { secret: string };
}

export type ModuleAnswer =
  | { id: string; code: string; map: string; path?: string }
  | { id: string; json: string }
  | { native: string; packagesFrom: string }
  | { failure: number; message: string };

export type Report =
  | { load: { specifier: string; from: string } }
  | { value: ValueKind }
  | { done: true; isSilent?: boolean }
  | { failed: Thrown; request?: number }
  | { unfinished: true }
  | { listening: number };

const valueKinds = ['text', 'json', 'none'] as const;
export type ValueKind = (typeof valueKinds)[number];

export interface Thrown {
  text: string;
  stack: string;
  isDeniedBySandbox?: boolean;
  failure?: number;
  refusedModule?: string;
  failedImport?: { specifier: string; from: string; code: string };
}

export const mostErrorCharacters = 65_536;
export const longestSpecifier = 1_000;
/** The id of a module can be the URL of a path. A path has up to 4,096 bytes, and each byte can become `%FF`. */
const longestId = 16_384;

/** Every message must be checked, because the code of a val can write anything to the pipe. */
function isReport(value: unknown): value is Report {
  if (!isObject(value)) return false;
  if ('load' in value) {
    return hasTexts(value.load, ['specifier', 'from']) && `${value.load.from}`.length <= longestId;
  }
  if ('value' in value) return valueKinds.some((kind) => kind === value.value);
  if ('failed' in value) {
    return isThrown(value.failed) && (value.request === undefined || Number.isInteger(value.request));
  }
  if ('listening' in value) return isPort(value.listening);
  return value.done === true || value.unfinished === true;
}

function isThrown(value: unknown): value is Thrown {
  if (!hasTexts(value, ['text', 'stack'])) return false;
  const { text, stack, failure, refusedModule, failedImport } = value;
  if (`${text}`.length > mostErrorCharacters || `${stack}`.length > mostErrorCharacters) return false;
  return (
    (failure === undefined || Number.isInteger(failure)) &&
    (refusedModule === undefined || typeof refusedModule === 'string') &&
    (failedImport === undefined || isFailedImport(failedImport))
  );
}

const isFailedImport = (value: unknown): boolean =>
  hasTexts(value, ['specifier', 'from', 'code']) && `${value.specifier}`.length <= longestSpecifier;

const isPort = (value: unknown): boolean =>
  Number.isInteger(value) && Number(value) > 0 && Number(value) < 65_536;

const isObject = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null;

const hasTexts = (value: unknown, keys: readonly string[]): value is Record<string, unknown> =>
  isObject(value) && keys.every((key) => typeof value[key] === 'string');

const headBytes = 5;
const kinds = { message: 0, bytes: 1 };
const mostReportBytes = 4 * 1_048_576;

export const messageFrame = (message: Order | Report): Buffer =>
  frame(kinds.message, Buffer.from(JSON.stringify(message)));
export const bytesFrame = (bytes: Uint8Array): Buffer => frame(kinds.bytes, bytes);

function frame(kind: number, payload: Uint8Array): Buffer {
  const head = Buffer.alloc(headBytes);
  head.writeUInt8(kind, 0);
  head.writeUInt32LE(payload.length, 1);
  return Buffer.concat([head, payload]);
}

export function reportReader(
  onReport: (report: Report) => void,
  onBytes: (bytes: Buffer) => void,
): (piece: Buffer) => void {
  let mayHaveBytes = false;
  const onMessage = (message: unknown) => {
    if (!isReport(message)) throw new Error('This is not a report.');
    if ('value' in message) mayHaveBytes = true;
    onReport(message);
  };
  const onBytesOfValue = (bytes: Buffer) => {
    if (!mayHaveBytes || bytes.length === 0) throw new Error('These are not bytes of a value.');
    onBytes(bytes);
  };
  return frameReader(onMessage, onBytesOfValue, mostReportBytes);
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
      const kind = whole.readUInt8(0);
      if (kind === kinds.bytes) onBytes(payload);
      else if (kind === kinds.message) onMessage(JSON.parse(payload.toString()));
      else throw new Error('This frame is of an unknown kind.');
    }
  };
}
