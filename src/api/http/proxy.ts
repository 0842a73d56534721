import type { Socket } from 'node:net';
import type { buildConnector } from 'undici';
import type { Connect } from './connect.ts';

export interface ProxyAddress {
  url: URL;
  variable: string;
}

export class ProxyError extends Error {
  readonly status: number | undefined;

  constructor(message: string, { status, cause }: { status?: number; cause?: Error } = {}) {
    super(message, { cause });
    this.status = status;
  }
}

const connectionFailed = (cause: Error): ProxyError => new ProxyError('the connection failed', { cause });

export function throughProxy(connect: Connect, { url }: ProxyAddress): Connect {
  const proxy = {
    host: url.host,
    hostname: url.hostname.replace(/^\[|\]$/g, ''),
    protocol: url.protocol,
    port: url.port,
  };
  return (target, callback) => {
    let cancelCurrentStep = connect(proxy, (connectError, socket) => {
      if (connectError) return callback(connectionFailed(connectError), null);
      cancelCurrentStep = (reason) => socket.destroy(reason);
      askForTunnel(socket, connectRequest(target, url), (tunnelError) => {
        if (tunnelError) {
          socket.destroy();
          return callback(tunnelError, null);
        }
        if (target.protocol !== 'https:') return callback(null, socket);
        cancelCurrentStep = connect({ ...target, httpSocket: socket }, callback);
      });
    });
    return (reason) => cancelCurrentStep(reason);
  };
}

export function credentialsOf({ username, password }: URL): string | undefined {
  if (!username && !password) return undefined;
  return Buffer.from(`${decodeURIComponent(username)}:${decodeURIComponent(password)}`).toString('base64');
}

function connectRequest({ protocol, host, port }: buildConnector.Options, proxy: URL): string {
  const defaultPort = protocol === 'https:' ? 443 : 80;
  // `host` contains the port, unless it is the default port.
  const address = port ? `${host}` : `${host}:${defaultPort}`;
  const credentials = credentialsOf(proxy);
  const lines = [`CONNECT ${address} HTTP/1.1`, `Host: ${address}`];
  if (credentials !== undefined) lines.push(`Proxy-Authorization: Basic ${credentials}`);
  return `${lines.join('\r\n')}\r\n\r\n`;
}

const endOfHead = '\r\n\r\n';
const longestHead = 16_384;

function askForTunnel(socket: Socket, request: string, callback: (error?: ProxyError) => void): void {
  let answer = '';
  socket.on('readable', onReadable).on('end', onEnd).on('close', onEnd).on('error', onError);
  socket.write(request);

  function onReadable() {
    for (let chunk = socket.read(); chunk !== null; chunk = socket.read()) {
      answer += chunk.toString('latin1');
      const end = answer.indexOf(endOfHead);
      if (end !== -1) return finish(refusalOf(answer, answer.slice(end + endOfHead.length)));
      if (answer.length > longestHead) return finish(new ProxyError('sent headers that are too long'));
    }
  }

  function onEnd(): void {
    finish(new ProxyError('closed the connection'));
  }

  function onError(error: Error): void {
    finish(connectionFailed(error));
  }

  function finish(error?: ProxyError): void {
    socket.off('readable', onReadable).off('end', onEnd).off('close', onEnd).off('error', onError);
    // The socket may report more errors, and an error without a listener would end the process.
    if (error) socket.on('error', () => {});
    callback(error);
  }
}

function refusalOf(answer: string, dataAfterHead: string): ProxyError | undefined {
  const status = Number(/^HTTP\/1\.[01] (\d{3})[ \r]/.exec(answer)?.[1]);
  if (Number.isNaN(status)) return new ProxyError('sent an answer that is not HTTP');
  if (status < 200 || status > 299) return new ProxyError(`answered ${status}`, { status });
  // A service sends nothing before it receives a request, so this data comes from the proxy.
  if (dataAfterHead !== '') return new ProxyError('sent unexpected data after its answer');
  return undefined;
}
