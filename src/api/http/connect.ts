import type { Socket } from 'node:net';
import type { SecureContext } from 'node:tls';
import type { buildConnector } from 'undici';
import createConnector from 'undici/lib/core/connect.js';
import { compileParser } from './parser.ts';

export type Connect = (target: buildConnector.Options, callback: buildConnector.Callback) => CancelConnect;

export type CancelConnect = (reason: Error) => void;

export function createDirectConnect(): Connect {
  const tcpConnector = createConnector({ timeout: 0, autoSelectFamily: true });
  let tlsConnector: buildConnector.connector | undefined;
  /**
   * Nothing reads these objects here. V8 has only a weak reference to the parser, and undici to the TLS sessions. So the
   * garbage collector would delete the objects, and each connection would need new ones.
   */
  const keptAlive: { parser?: WebAssembly.Module; sessions: Map<string, Buffer> } = { sessions: new Map() };

  /** All connections share one secure context, because Node 20 needs 40 ms to create one. */
  const getTlsConnector = () => {
    tlsConnector ??= createConnector({ timeout: 0, secureContext: secureContext() });
    return tlsConnector;
  };

  const open = (
    connector: buildConnector.connector,
    target: buildConnector.Options,
    callback: buildConnector.Callback,
  ): Socket => {
    // undici's connector returns a socket, although its type says `void`.
    const socket = connector(target, callback) as unknown as Socket;
    socket.on('session', (session: Buffer) => keptAlive.sessions.set(target.hostname, session));
    // The connection opens while the parser is compiled.
    keptAlive.parser ??= compileParser();
    return socket;
  };

  const openTcpThenTls: Connect = (target, callback) => {
    const tcpTarget = { ...target, protocol: 'http:', port: target.port || '443' };
    let currentSocket = open(tcpConnector, tcpTarget, (error, httpSocket) => {
      clearTimeout(contextTimer);
      if (error) return callback(error, null);
      currentSocket = open(getTlsConnector(), { ...target, httpSocket }, callback);
    });
    // Creates the secure context while the TCP connection opens. The timer waits 2 ms, because the creation blocks Node
    // and the connection must begin first.
    const contextTimer = setTimeout(getTlsConnector, 2);
    return (reason) => currentSocket.destroy(reason);
  };

  return (target, callback) => {
    const isHttps = target.protocol === 'https:';
    const isThroughTunnel = Boolean(target.httpSocket);
    if (isHttps && !isThroughTunnel) return openTcpThenTls(target, callback);
    const socket = open(isHttps ? getTlsConnector() : tcpConnector, target, callback);
    return (reason) => socket.destroy(reason);
  };
}

function secureContext(): SecureContext {
  const { createSecureContext, DEFAULT_CIPHERS } = process.getBuiltinModule('node:tls');
  return createSecureContext({ ciphers: DEFAULT_CIPHERS });
}
