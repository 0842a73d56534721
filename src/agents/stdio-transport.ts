import type { Readable } from 'node:stream';
import {
  isJSONRPCNotification,
  isJSONRPCRequest,
  isJSONRPCResponse,
  type JSONRPCMessage,
  ProtocolErrorCode,
  type Transport,
} from '@modelcontextprotocol/server';
import { isObject, type JsonValue, parseIfJson } from '../core/lib/json.ts';

export interface StdioOptions {
  stdin: Readable;
  stdout: NodeJS.WritableStream;
  editBeforeWriting(message: string): string;
}

export interface StdioTransport extends Transport {
  /** Resolves when the transport is closed, with the number of requests that got no answer. */
  closed: Promise<number>;
}

/**
 * A message is a line. The transport of the protocol's package ends at a message of more than 10 MiB, leaves calls without
 * an answer when the input ends, and passes over what is no message. This one answers all of them before it closes.
 */
export function createStdioTransport({ stdin, stdout, editBeforeWriting }: StdioOptions): StdioTransport {
  const unanswered = new Set<unknown>();
  let isEnding = false;
  let tellClosed = (_unanswered: number) => {};
  const closed = new Promise<number>((resolve) => {
    tellClosed = resolve;
  });
  const lines = createLineReader(onLine);

  function onLine(line: string): void {
    const json = parseIfJson(line);
    const message = messageIn(json);
    if (message === undefined) return void write(refusalOf(json)).catch(() => {});
    // The answer to `listen` comes when the connection ends.
    if (isJSONRPCRequest(message) && message.method !== 'subscriptions/listen') unanswered.add(message.id);
    transport.onmessage?.(message);
    // A request that the client cancels gets no answer.
    if (isJSONRPCNotification(message) && message.method === 'notifications/cancelled')
      unanswered.delete(message.params?.requestId);
    closeIfDone();
  }

  function write(message: object): Promise<void> {
    const line = `${editBeforeWriting(JSON.stringify(message))}\n`;
    return new Promise((resolve, reject) => {
      stdout.write(line, (error) => {
        if (!error) return resolve();
        void transport.close();
        reject(error);
      });
    });
  }

  function end(): void {
    if (isEnding) return;
    isEnding = true;
    lines.end();
    closeIfDone();
  }

  function closeIfDone(): void {
    if (isEnding && unanswered.size === 0) void transport.close();
  }

  const transport: StdioTransport = {
    closed,
    async start() {
      stdin.on('data', lines.read).on('end', end).on('close', end).on('error', end);
    },
    async send(message) {
      if ('id' in message && !('method' in message)) unanswered.delete(message.id);
      await write(message);
      closeIfDone();
    },
    async close() {
      stdin.off('data', lines.read).pause();
      tellClosed(unanswered.size);
      transport.onclose?.();
    },
  };
  return transport;
}

/** Splits only at newlines: JSON may contain the other characters that `readline` takes for the end of a line. */
function createLineReader(onLine: (line: string) => void) {
  let pieces: Buffer[] = [];

  function end(): void {
    const line = Buffer.concat(pieces).toString();
    pieces = [];
    if (line.trim() !== '') onLine(line);
  }

  return {
    read(chunk: Buffer): void {
      let from = 0;
      for (let newline = chunk.indexOf('\n'); newline !== -1; newline = chunk.indexOf('\n', from)) {
        pieces.push(chunk.subarray(from, newline));
        end();
        from = newline + 1;
      }
      pieces.push(chunk.subarray(from));
    },
    /** The last line may have no newline. */
    end,
  };
}

const messageIn = (json: JsonValue | undefined): JSONRPCMessage | undefined =>
  isJSONRPCRequest(json) || isJSONRPCNotification(json) || isJSONRPCResponse(json) ? json : undefined;

function refusalOf(json: JsonValue | undefined): object {
  const error =
    json === undefined
      ? { code: ProtocolErrorCode.ParseError, message: 'The line is not JSON.' }
      : { code: ProtocolErrorCode.InvalidRequest, message: 'The line is not a message of JSON-RPC 2.0.' };
  const id = isObject(json) ? json.id : undefined;
  return { jsonrpc: '2.0', id: typeof id === 'string' || typeof id === 'number' ? id : null, error };
}
