import type { ValueKind } from '../protocol.ts';
import { sendEvent, sendValueBytes } from './channel.ts';

export type Callable = (...args: unknown[]) => unknown;

/** Hono, Workers and Bun export an object with a `fetch` method. */
export function functionIn(exported: unknown): Callable | undefined {
  if (isFunction(exported)) return exported;
  if (typeof exported !== 'object' || exported === null || !('fetch' in exported)) return undefined;
  const { fetch } = exported;
  return isFunction(fetch) ? fetch.bind(exported) : undefined;
}

const isFunction = (value: unknown): value is Callable => typeof value === 'function';

/** Does not use `instanceof`: a Response of another fetch implementation counts too, and loading fetch takes time. */
export const isResponse = (value: unknown): value is Response =>
  typeof value === 'object' &&
  value !== null &&
  'headers' in value &&
  'status' in value &&
  'body' in value &&
  'arrayBuffer' in value;

export async function sendValue(value: unknown): Promise<void> {
  if (value === undefined) return announce('none');
  if (typeof value === 'string') return send('text', Buffer.from(value));
  if (value instanceof Uint8Array) return send('bytes', value);
  if (value instanceof ArrayBuffer) return send('bytes', new Uint8Array(value));
  if (isResponse(value)) return sendStream(value.body);
  if (isStream(value)) return sendStream(value);
  send('json', Buffer.from(jsonOf(value)));
}

const announce = (of: ValueKind): void => sendEvent({ kind: 'value', of });

function send(of: ValueKind, bytes: Uint8Array): void {
  announce(of);
  sendValueBytes(bytes);
}

export const isStream = (value: unknown): value is AsyncIterable<unknown> =>
  typeof value === 'object' &&
  value !== null &&
  Symbol.asyncIterator in value &&
  ('getReader' in value || 'pipe' in value);

async function sendStream(stream: unknown): Promise<void> {
  announce('bytes');
  if (stream === null || stream === undefined) return;
  if (!isStream(stream)) throw new TypeError('The body of the Response is not a stream.');
  for await (const chunk of stream) {
    sendValueBytes(chunk instanceof Uint8Array ? chunk : Buffer.from(`${chunk}`));
  }
}

function jsonOf(value: unknown): string {
  let text: string | undefined;
  try {
    text = JSON.stringify(value);
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error);
    throw new TypeError(`The value that the val returned cannot be written as JSON: ${reason}`);
  }
  if (text === undefined) {
    throw new TypeError(`The val returned a value of type ${typeof value}, which cannot be written as JSON.`);
  }
  return text;
}
