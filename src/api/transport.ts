// One attempt over HTTP: bytes out, an answer or a fault back. Nothing here is tried twice.
import { isUtf8 } from 'node:buffer';
import type { IncomingHttpHeaders } from 'node:http';
import type { Socket } from 'node:net';
import { Agent, buildConnector, type Dispatcher } from 'undici';
import { type JsonValue, parseJson } from '../json.ts';
import type { Rows } from '../rows.ts';
import type { Clock } from './clock.ts';
import type { ProxySettings } from './proxy.ts';
import { type Fault, isRead, parseRetryAfter } from './retry.ts';
import { readSentPage } from './sent-rows.ts';

export interface Answer {
  status: number;
  /** Undefined where the service sent none. */
  body: JsonValue | undefined;
  /** The records of a list, where they need not be parsed; the body then has an empty list in their place. */
  rows?: Rows;
}

interface Outgoing {
  method: string;
  origin: string;
  /** With its query. */
  path: string;
  headers: Record<string, string>;
  body: string | undefined;
  /** Whether a list is expected. */
  list: boolean;
  /** Whether any JSON, or none, is expected. */
  open: boolean;
  /** How long to wait for the whole answer. */
  limitMs: number;
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
  close(): Promise<void>;
}

const connectTimeoutMs = 5_000;
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

  const faultOf = (error: unknown): Fault =>
    error instanceof GivenUp
      ? { kind: everConnected() ? 'timed_out' : 'not_connected', reason: error.message }
      : connectionFault(error, isConnectError(error));

  return {
    async send(outgoing) {
      try {
        const reply = await exchange(dispatcher, outgoing, clock);
        return reply.body instanceof Error && isSuccess(reply)
          ? faultOf(reply.body)
          : answerOf(outgoing, reply, clock);
      } catch (error) {
        return faultOf(error);
      }
    },
    async close() {
      dropConnecting();
      await dispatcher.destroy();
    },
  };
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
        if (error || connected) return callback(...outcome);
        connected = true;
        withoutOptimising(() => callback(...outcome));
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

/** V8's ways to compile WebAssembly again, better and later. */
const compilingTwice = ['wasm-tier-up', 'wasm-dynamic-tiering', 'wasm-lazy-compilation'];

/**
 * undici's parser is WebAssembly, made when the first connection stands. V8 would optimise it while it runs, which
 * takes 130 ms, for which Node waits before it exits, and 30 MB. The flags are set back at once: while they differ
 * from what Node was built with, V8 refuses the compiled code that it finds, that of Node's own modules included.
 */
function withoutOptimising(makeParser: () => void): void {
  const { setFlagsFromString } = process.getBuiltinModule('node:v8');
  for (const way of compilingTwice) setFlagsFromString(`--no-${way}`);
  makeParser();
  for (const way of compilingTwice) setFlagsFromString(`--${way}`);
}

/** The head of an answer. */
interface Head {
  status: number;
  headers: IncomingHttpHeaders;
}

interface Reply extends Head {
  /** Or why there is none. */
  body: Buffer | 'unwanted' | 'too large' | Error;
}

/** The time was up, or the user wanted no more of it. */
class GivenUp extends Error {}

/** `dispatch`, because `request` makes a stream of every answer, which takes longer than reading it. */
function exchange(dispatcher: Dispatcher, outgoing: Outgoing, clock: Clock): Promise<Reply> {
  const { origin, path, headers, body, signal, limitMs } = outgoing;
  const method = outgoing.method as Dispatcher.HttpMethod;
  return new Promise((resolve, reject) => {
    let head: Head | undefined;
    let request: Dispatcher.DispatchController | undefined;
    let given: Error | undefined;
    const chunks: Buffer[] = [];
    let room = 0;
    const settle = (body: Reply['body']) => {
      cancelLimit();
      signal.removeEventListener('abort', interrupt);
      if (head) resolve({ ...head, body });
      else reject(body);
    };
    /** undici tells of a request given up only once it is connected, so we do not wait for it. */
    const giveUp = (body: 'unwanted' | 'too large' | Error) => {
      given = body instanceof Error ? body : new Error(body);
      settle(body);
      request?.abort(given);
    };
    const interrupt = () => giveUp(new GivenUp('interrupted'));
    const seconds = Math.round(limitMs / 100) / 10;
    const cancelLimit = clock.after(limitMs, () =>
      giveUp(new GivenUp(`there was no answer within ${seconds} s`)),
    );
    signal.addEventListener('abort', interrupt, { once: true });
    if (signal.aborted) return interrupt();
    dispatcher.dispatch(
      // The deadline is ours, so undici's own time-outs are off.
      { method, origin, path, headers, body, headersTimeout: 0, bodyTimeout: 0 },
      {
        onRequestStart(controller) {
          request = controller;
          if (given) controller.abort(given);
        },
        onResponseStart(_controller, status, headers) {
          if (status < 200) return;
          head = { status, headers };
          room = largestBodyOf(method, head);
          if (room === 0) giveUp('unwanted');
        },
        onResponseData(_controller, chunk) {
          chunks.push(chunk);
          room -= chunk.length;
          if (room < 0) giveUp('too large');
        },
        onResponseEnd: () => settle(chunks.length === 1 ? (chunks[0] as Buffer) : Buffer.concat(chunks)),
        onResponseError: (_controller, error) => settle(error),
      },
    );
  });
}

const headerOf = ({ headers }: Head, name: string): string | undefined => [headers[name] ?? []].flat()[0];
const isSuccess = ({ status }: Head): boolean => status >= 200 && status < 300;
const isRedirect = ({ status }: Head): boolean => status >= 300 && status < 400;
const encodingOf = (head: Head): string => headerOf(head, 'content-encoding') ?? 'identity';
const isEncoded = (head: Head): boolean => encodingOf(head).toLowerCase() !== 'identity';

/** An answer cut short would be a false one, so a larger one is refused. */
const largestBody = 64 * 1024 * 1024;
/** Of an error's body, what can matter to a reader. */
const largestErrorBody = 1024 * 1024;

function largestBodyOf(method: string, head: Head): number {
  if (isRedirect(head)) return 0;
  // What a delete answers beside its status says nothing, so it may come in any form; a HEAD brings no body.
  if (isEncoded(head) && !(isSuccess(head) && (method === 'DELETE' || method === 'HEAD'))) return 0;
  return isSuccess(head) ? largestBody : largestErrorBody;
}

function answerOf(outgoing: Outgoing, reply: Reply, clock: Clock): Answer | Fault {
  const { status, body } = reply;
  const senseless = (reason: string): Fault => ({ kind: 'senseless', status, reason });
  if (isRedirect(reply)) {
    return senseless(`sent a redirect to ${headerOf(reply, 'location') ?? 'nowhere'}, which is not followed`);
  }
  if (!isSuccess(reply)) {
    return {
      kind: 'status',
      status,
      reason: `answered ${status}`,
      body: body instanceof Buffer ? errorBody(body) : undefined,
      retryAfterMs: parseRetryAfter(headerOf(reply, 'retry-after'), clock.now()),
    };
  }
  if (body instanceof Buffer) return decode(outgoing, status, body);
  return senseless(
    body === 'too large'
      ? 'sent an answer larger than 64 MiB'
      : `sent a compressed answer (${encodingOf(reply)}) that was not asked for`,
  );
}

function decode({ method, list, open }: Outgoing, status: number, bytes: Buffer): Answer | Fault {
  if (method === 'HEAD' || (method === 'DELETE' && !open)) return { status, body: undefined };
  const sent = list ? readSentPage(bytes) : undefined;
  if (sent) return { status, body: sent.rest, rows: sent.rows };
  const unreadable = (reason: string, body?: string): Fault => ({ kind: 'unreadable', status, reason, body });
  if (!isUtf8(bytes)) return unreadable('sent an answer that is not UTF-8');
  const text = bytes.toString().replace(/^\ufeff/, '');
  if (text.trim() === '') {
    const mayBeEmpty = !isRead(method) || (open && status === 204);
    return mayBeEmpty ? { status, body: undefined } : unreadable('sent an empty answer');
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

function errorBody(bytes: Buffer): unknown {
  const text = new TextDecoder().decode(bytes);
  if (text.trim() === '') return undefined;
  try {
    return parseJson(text);
  } catch {
    return text;
  }
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
