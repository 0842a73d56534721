// Fetches a module that a val imports from the web. It is built as a file of its own, because undici as a whole takes
// 50 ms to load, and few vals need it.
import { Agent, ProxyAgent, request } from 'undici';

export interface FetchOptions {
  proxy: string | undefined;
  timeoutMs: number;
  signal: AbortSignal;
}

export interface Fetched {
  status: number;
  location: string | undefined;
  type: string;
  text: string;
}

const mostBytes = 64 * 1_048_576;

export async function fetchOnce(url: string, { proxy, timeoutMs, signal }: FetchOptions): Promise<Fetched> {
  const dispatcher = proxy === undefined ? new Agent() : new ProxyAgent(proxy);
  try {
    const { statusCode, headers, body } = await request(url, {
      dispatcher,
      headers: { accept: '*/*', 'user-agent': `vals/${VERSION}` },
      signal: AbortSignal.any([signal, AbortSignal.timeout(timeoutMs)]),
    });
    const pieces: Buffer[] = [];
    let size = 0;
    for await (const piece of body) {
      size += piece.length;
      if (size > mostBytes) throw new Error('it is larger than 64 MiB');
      pieces.push(piece);
    }
    return {
      status: statusCode,
      location: text(headers.location),
      type: text(headers['content-type']) ?? '',
      text: Buffer.concat(pieces).toString(),
    };
  } finally {
    await dispatcher.destroy();
  }
}

const text = (value: string | string[] | undefined): string | undefined =>
  Array.isArray(value) ? value[0] : value;
