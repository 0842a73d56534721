// Opens a TCP or TLS connection to the service or to a proxy.
import type { Socket } from 'node:net';
import type { SecureContext } from 'node:tls';
import type { buildConnector } from 'undici';
import createConnector from 'undici/lib/core/connect.js';
import { compileParser } from './parser.ts';

/** The returned function cancels the connection. */
export type Connect = (
  target: buildConnector.Options,
  callback: buildConnector.Callback,
) => (reason: Error) => void;

export function createDirectConnect(): Connect {
  const overTcp = createConnector({ timeout: 0, autoSelectFamily: true });
  let overTls: buildConnector.connector | undefined;
  /** While the compiled parser is kept here, V8 reuses it for undici. */
  const keptParsers: WebAssembly.Module[] = [];
  /** undici refers to a session only weakly. Without this reference, a garbage collection would cost full handshakes. */
  const keptSessions = new Map<string, Buffer>();

  /** All connections share one secure context, because Node 20 needs 40 ms to create one. */
  const tls = () => {
    overTls ??= createConnector({ timeout: 0, secureContext: secureContext() });
    return overTls;
  };

  /** Compiles undici's parser while the connection is being made. */
  const begin = (
    connect: buildConnector.connector,
    target: buildConnector.Options,
    callback: buildConnector.Callback,
  ): Socket => {
    // undici's connector returns a socket, although its type says `void`.
    const socket = connect(target, callback) as unknown as Socket;
    socket.on('session', (session: Buffer) => keptSessions.set(target.hostname, session));
    if (keptParsers.length === 0) keptParsers.push(compileParser());
    return socket;
  };

  return (target, callback) => {
    let socket: Socket;
    if (target.protocol !== 'https:') {
      socket = begin(overTcp, target, callback);
    } else if (isTunnel(target)) {
      socket = begin(tls(), target, callback);
    } else {
      const tcp = { ...target, protocol: 'http:', port: target.port || '443' };
      socket = begin(overTcp, tcp, (error, httpSocket) => {
        clearTimeout(contextTimer);
        if (error) return callback(error, null);
        socket = begin(tls(), { ...target, httpSocket }, callback);
      });
      // Creates the secure context while the TCP connection is being made. The 2 ms are for the DNS lookup.
      const contextTimer = setTimeout(tls, 2);
    }
    return (reason) => socket.destroy(reason);
  };
}

const isTunnel = ({ httpSocket }: buildConnector.Options): boolean => Boolean(httpSocket);

function secureContext(): SecureContext {
  const { createSecureContext, DEFAULT_CIPHERS } = process.getBuiltinModule('node:tls');
  return createSecureContext({ ciphers: DEFAULT_CIPHERS });
}
