// The way through a proxy: a connection to it, a tunnel that it is asked for, and in that all the rest.
import type { Socket } from 'node:net';
import type { Connect } from './connect.ts';

export interface ProxyAddress {
  url: URL;
  /** Where the user set it. */
  source: string;
}

/** What went wrong at the proxy, before there was a way to the service. */
export class ProxyError extends Error {
  /** Of its answer, where it refused. */
  readonly status: number | undefined;

  constructor(problem: string | number | Error) {
    super(typeof problem === 'string' ? problem : '', problem instanceof Error ? { cause: problem } : {});
    this.status = typeof problem === 'number' ? problem : undefined;
  }
}

export function throughProxy(connect: Connect, { url }: ProxyAddress): Connect {
  const proxy = {
    host: url.host,
    hostname: url.hostname.replace(/^\[|\]$/g, ''),
    protocol: url.protocol,
    port: url.port,
  };
  return (target, callback) => {
    let giveUp = connect(proxy, (error, toProxy) => {
      if (error) return callback(new ProxyError(error), null);
      giveUp = (reason) => toProxy.destroy(reason);
      const place = target.port ? target.host : `${target.host}:${target.protocol === 'https:' ? 443 : 80}`;
      askForTunnel(toProxy, connectRequest(String(place), url), (error) => {
        if (error) {
          toProxy.destroy();
          callback(error, null);
        } else if (target.protocol === 'https:') {
          giveUp = connect({ ...target, httpSocket: toProxy }, callback);
        } else callback(null, toProxy);
      });
    });
    return (reason) => giveUp(reason);
  };
}

/** User name and password as the proxy is told them; undefined where the address has none. */
export function credentialsOf({ username, password }: URL): string | undefined {
  if (!username && !password) return undefined;
  return Buffer.from(`${decodeURIComponent(username)}:${decodeURIComponent(password)}`).toString('base64');
}

function connectRequest(place: string, proxy: URL): string {
  const credentials = credentialsOf(proxy);
  const lines = [`CONNECT ${place} HTTP/1.1`, `Host: ${place}`];
  if (credentials !== undefined) lines.push(`Proxy-Authorization: Basic ${credentials}`);
  return `${lines.join('\r\n')}\r\n\r\n`;
}

const longestHead = 16_384;

/** Calls back once, and leaves the socket as it was, with nothing of the tunnel read. */
function askForTunnel(socket: Socket, request: string, callback: (error?: Error) => void): void {
  let answer = '';
  const settle = (error?: ProxyError) => {
    socket.off('readable', read).off('end', onEnd).off('close', onEnd).off('error', onError);
    // What a connection that is given up still meets is of no interest.
    if (error) socket.on('error', () => {});
    callback(error);
  };
  const onEnd = () => settle(new ProxyError('closed the connection'));
  const onError = (error: Error) => settle(new ProxyError(error));
  const read = () => {
    for (let chunk = socket.read(); chunk !== null; chunk = socket.read()) {
      answer += chunk.toString('latin1');
      const end = answer.indexOf('\r\n\r\n');
      if (end !== -1) return settle(refusalOf(answer, answer.length - end - 4));
      if (answer.length > longestHead) return settle(new ProxyError('sent an answer without end'));
    }
  };
  socket.on('readable', read).on('end', onEnd).on('close', onEnd).on('error', onError);
  socket.write(request);
}

function refusalOf(head: string, bytesBehind: number): ProxyError | undefined {
  const status = Number(/^HTTP\/1\.[01] (\d{3})[ \r]/.exec(head)?.[1]);
  if (Number.isNaN(status)) return new ProxyError('sent an answer that is not HTTP');
  if (status < 200 || status > 299) return new ProxyError(status);
  // A service does not speak before it is asked, so these bytes are not its own, or not meant for us.
  if (bytesBehind > 0) return new ProxyError('sent more than its answer');
  return undefined;
}
