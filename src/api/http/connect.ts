// Opens one connection to the service or to a proxy, over TCP or TLS.
import type { Socket } from 'node:net';
import type { SecureContext } from 'node:tls';
import type { buildConnector } from 'undici';
import createConnector from 'undici/lib/core/connect.js';
import { compileParser } from './parser.ts';

/** Makes one connection and calls back with the socket or the error. The returned function cancels the connection. */
export type Connect = (
  target: buildConnector.Options,
  callback: buildConnector.Callback,
) => (reason: Error) => void;

/** Connects over TCP, and then over TLS if the target is https. */
export function createDirectConnect(): Connect {
  const overTcp = createConnector({ timeout: 0, autoSelectFamily: true });
  let overTls: buildConnector.connector | undefined;
  /** Keeps the compiled parser in memory after the first connection, so that V8 reuses it for undici (see parser.ts). */
  const keptParsers: WebAssembly.Module[] = [];

  /** All connections share one secure context, because loading the root certificates for a context takes 40 ms on Node 20. */
  const tls = () => {
    overTls ??= createConnector({ timeout: 0, secureContext: secureContext() });
    return overTls;
  };

  /** Compiles the parser while the connection is being made. */
  const begin = (
    connect: buildConnector.connector,
    target: buildConnector.Options,
    callback: buildConnector.Callback,
  ): Socket => {
    // undici's connector returns a socket, but its TypeScript type does not declare the socket.
    const socket = connect(target, callback) as unknown as Socket;
    if (keptParsers.length === 0) keptParsers.push(compileParser());
    return socket;
  };

  return (target, callback) => {
    let socket: Socket;
    if (target.protocol !== 'https:') {
      socket = begin(overTcp, target, callback);
    } else if (target.httpSocket) {
      // The socket is a tunnel through a proxy. TLS runs inside the tunnel.
      socket = begin(tls(), target, callback);
    } else {
      // Connects over TCP first, and then starts TLS on the TCP socket.
      const tcp = { ...target, protocol: 'http:', port: target.port || '443' };
      socket = begin(overTcp, tcp, (error, httpSocket) => {
        clearTimeout(soon);
        if (error) return callback(error, null);
        socket = begin(tls(), { ...target, httpSocket }, callback);
      });
      // Makes the secure context after DNS has resolved the host name, while the TCP connection is being made.
      const soon = setTimeout(tls, 2);
    }
    return (reason) => socket.destroy(reason);
  };
}

/** Returns the same secure context that Node would make for each connection by default. */
function secureContext(): SecureContext {
  const { createSecureContext, DEFAULT_CIPHERS } = process.getBuiltinModule('node:tls');
  return createSecureContext({ ciphers: DEFAULT_CIPHERS });
}
