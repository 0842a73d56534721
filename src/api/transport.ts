// One attempt over HTTP: bytes out, an answer or a fault back. Nothing here is tried twice.
import type { Socket } from 'node:net';
import { Agent, buildConnector, type Dispatcher } from 'undici';
import { type JsonValue, parseJson } from '../json.ts';
import type { Clock } from './clock.ts';
import type { ProxySettings } from './proxy.ts';
import { type Fault, isRead, parseRetryAfter } from './retry.ts';

export interface Answer {
  status: number;
  /** Undefined where the service sent none. */
  body: JsonValue | undefined;
}

export interface Outgoing {
  method: string;
  origin: string;
  /** With its query. */
  path: string;
  headers: Record<string, string>;
  body: string | undefined;
  signal: AbortSignal;
}

export interface TransportOptions {
  /** Absent where the service is reached directly. */
  proxy: ProxySettings | undefined;
  connections: number;
  clock: Clock;
}

export interface Transport {
  send(outgoing: Outgoing): Promise<Answer | Fault>;
  /** False while nothing can have been sent, because no connection stood yet. */
  everConnected(): boolean;
  close(): Promise<void>;
}

const connectTimeoutMs = 5_000;
const largestBody = 64 * 1024 * 1024;
/** Of an error's body, what can matter to a reader. */
const largestErrorBody = 1024 * 1024;

export async function createTransport({ proxy, clock, connections }: TransportOptions): Promise<Transport> {
  const { dispatcher, everConnected, isConnectError, dropConnecting } =
    proxy === undefined
      ? directAgent(clock, connections)
      : {
          dispatcher: (await import('./proxy.ts')).createProxyAgent(proxy, connectTimeoutMs),
          // Behind a proxy we do not see when the service is reached, so sent is what may have been sent.
          everConnected: () => true,
          isConnectError: () => false,
          dropConnecting: () => {},
        };

  return {
    async send(outgoing) {
      let response: Dispatcher.ResponseData;
      try {
        // The deadline is ours, so undici's own time-outs are off.
        const answered = dispatcher.request({
          ...outgoing,
          method: outgoing.method as Dispatcher.HttpMethod,
          headersTimeout: 0,
          bodyTimeout: 0,
        });
        response = await orAborted(answered, outgoing.signal);
      } catch (error) {
        return connectionFault(error, isConnectError(error));
      }
      return readAnswer(outgoing.method, response, clock);
    },
    everConnected,
    async close() {
      dropConnecting();
      await dispatcher.destroy();
    },
  };
}

/** undici hears of an abort only once it is connected. */
function orAborted<T>(promise: Promise<T>, signal: AbortSignal): Promise<T> {
  return new Promise((resolve, reject) => {
    const abort = () => reject(signal.reason);
    signal.addEventListener('abort', abort, { once: true });
    promise.then(resolve, reject).finally(() => signal.removeEventListener('abort', abort));
    if (signal.aborted) abort();
  });
}

/** An agent that knows which errors came before a connection stood: nothing was sent then. */
function directAgent(clock: Clock, connections: number) {
  const connect = buildConnector({ timeout: 0, autoSelectFamily: true });
  const connecting = new Set<Socket>();
  const connectErrors = new WeakSet<Error>();
  let connected = false;
  const dispatcher = new Agent({
    connections,
    connect(target, callback) {
      // The connector returns its socket, which its type does not say.
      const socket = connect(target, (...outcome) => {
        settle();
        const [error] = outcome;
        if (error) connectErrors.add(error);
        else connected = true;
        withPlainWebAssembly(() => callback(...outcome));
      }) as unknown as Socket;
      const cancel = clock.after(connectTimeoutMs, () => socket.destroy(connectTimeout()));
      const settle = () => {
        cancel();
        connecting.delete(socket);
      };
      connecting.add(socket);
      socket.once('close', settle);
      // undici takes this code for the end of a body that only the end of its connection ends.
      socket.on('error', (error: NodeJS.ErrnoException) => {
        if (error.code === 'ECONNRESET') error.code = 'ECONNABORTED';
      });
    },
  });
  return {
    dispatcher,
    everConnected: () => connected,
    isConnectError: (error: unknown) => connectErrors.has(error as Error),
    /** undici would wait for them, and so would the process. */
    dropConnecting() {
      for (const socket of connecting) socket.destroy();
    },
  };
}

/**
 * undici's parser is WebAssembly, made when the first connection stands. Node 20 would optimise it at its first call,
 * and wait 130 ms for that before it exits. The setting is taken back at once: while it differs from what Node was
 * built with, V8 refuses the compiled code that it finds, Node's own modules included.
 */
function withPlainWebAssembly(makeParser: () => void): void {
  const tiers = process.versions.v8.startsWith('11.');
  const setBudget = (budget: number) =>
    process.getBuiltinModule('node:v8').setFlagsFromString(`--wasm-tiering-budget=${budget}`);
  if (tiers) setBudget(1_000_000_000);
  makeParser();
  if (tiers) setBudget(1_800_000);
}

async function readAnswer(
  method: string,
  response: Dispatcher.ResponseData,
  clock: Clock,
): Promise<Answer | Fault> {
  const { statusCode: status, headers, body } = response;
  const header = (name: string) => [headers[name] ?? []].flat()[0];
  const refuse = (reason: string): Fault => {
    discard(body);
    return { kind: 'senseless', status, reason };
  };
  if (status >= 300 && status < 400) {
    return refuse(`sent a redirect to ${header('location') ?? 'nowhere'}, which is not followed`);
  }
  const encoding = header('content-encoding') ?? 'identity';
  const isEncoded = encoding.toLowerCase() !== 'identity';
  if (status < 200 || status >= 300) {
    if (isEncoded) discard(body);
    const bytes = isEncoded ? undefined : await readBytes(body, largestErrorBody).catch(() => undefined);
    const retryAfterMs = parseRetryAfter(header('retry-after'), clock.now());
    return {
      kind: 'status',
      status,
      reason: `answered ${status}`,
      body: bytes && errorBody(bytes),
      retryAfterMs,
    };
  }
  // What a delete answers beside its status says nothing, so it may come in any form.
  if (isEncoded && method !== 'DELETE') {
    return refuse(`sent a compressed answer (${encoding}) that was not asked for`);
  }
  try {
    const bytes = await readBytes(body, largestBody);
    return bytes === undefined ? refuse('sent an answer larger than 64 MiB') : decode(method, status, bytes);
  } catch (error) {
    return connectionFault(error);
  }
}

function decode(method: string, status: number, bytes: Buffer): Answer | Fault {
  if (method === 'DELETE') return { status, body: undefined };
  const unreadable = (reason: string, body?: string): Fault => ({ kind: 'unreadable', status, reason, body });
  let text: string;
  try {
    text = new TextDecoder('utf-8', { fatal: true }).decode(bytes);
  } catch {
    return unreadable('sent an answer that is not UTF-8');
  }
  if (text.trim() === '') {
    return isRead(method) ? unreadable('sent an empty answer') : { status, body: undefined };
  }
  try {
    return { status, body: parseJson(text) };
  } catch (error) {
    if (error instanceof RangeError) {
      return { kind: 'senseless', status, reason: 'sent JSON that is nested too deeply' };
    }
    return unreadable('sent an answer that is not JSON', text);
  }
}

/** Undefined past the limit: an answer cut short would be a false one. */
async function readBytes(body: Dispatcher.ResponseData['body'], limit: number): Promise<Buffer | undefined> {
  const chunks: Buffer[] = [];
  let size = 0;
  for await (const chunk of body) {
    size += chunk.length;
    if (size > limit) return undefined;
    chunks.push(chunk);
  }
  return Buffer.concat(chunks);
}

function errorBody(bytes: Buffer): unknown {
  const text = new TextDecoder().decode(bytes);
  if (text.trim() === '') return undefined;
  try {
    return parseJson(text);
  } catch {
    return text;
  }
}

function discard(body: Dispatcher.ResponseData['body']): void {
  body.on('error', () => {});
  body.destroy();
}

const neverMade = new Set([
  'ECONNREFUSED',
  'ENOTFOUND',
  'EAI_AGAIN',
  'EHOSTUNREACH',
  'ENETUNREACH',
  'EADDRNOTAVAIL',
  'UND_ERR_CONNECT_TIMEOUT',
]);

const connectTimeout = (): Error => Object.assign(new Error('connect time-out'), { code: 'ETIMEDOUT' });
const tlsCodes = /^(?:ERR_TLS|ERR_SSL|CERT_|EPROTO|UNABLE_TO_|SELF_SIGNED|DEPTH_ZERO|INVALID_CA)/;
const reasons: Record<string, string> = {
  ECONNREFUSED: 'the connection was refused',
  ENOTFOUND: 'there is no host of that name',
  EAI_AGAIN: 'the name of the host could not be looked up',
  EHOSTUNREACH: 'the host cannot be reached',
  ENETUNREACH: 'the network cannot be reached',
  ETIMEDOUT: `there was no connection within ${connectTimeoutMs / 1_000} s`,
  ECONNRESET: 'the connection was reset',
  ECONNABORTED: 'the connection was reset',
  EPIPE: 'the connection was closed',
  UND_ERR_SOCKET: 'the connection was closed before the answer was whole',
};

function connectionFault(error: unknown, beforeConnection = false): Fault {
  const { syscall, message } = error as NodeJS.ErrnoException;
  const code = String((error as NodeJS.ErrnoException).code ?? '');
  const isGarbled = (error as Error).name === 'HTTPParserError';
  const reason = isGarbled ? 'the answer is not HTTP' : (reasons[code] ?? (message || code));
  if (tlsCodes.test(code)) return { kind: 'tls', reason };
  const neverSent = beforeConnection || neverMade.has(code) || syscall === 'connect';
  return { kind: neverSent ? 'not_connected' : 'lost', reason };
}
