// One connection to the service or to a proxy, over TCP and within it TLS.
import type { Socket } from 'node:net';
import type { SecureContext } from 'node:tls';
import { buildConnector } from 'undici';

/** Makes one connection, and says when it stands or why it does not. What it returns gives up on it. */
export type Connect = (
  target: buildConnector.Options,
  callback: buildConnector.Callback,
) => (reason: Error) => void;

/** Over TCP, and within it over TLS where the target asks for that. */
export function directly(): Connect {
  const overTcp = buildConnector({ timeout: 0, autoSelectFamily: true });
  let overTls: buildConnector.connector | undefined;

  /** All connections share its context, which has all roots to check certificates against: 40 ms on Node 20. */
  const tls = () => {
    overTls ??= buildConnector({ timeout: 0, secureContext: secureContext() });
    return overTls;
  };

  // What is needed later is made whenever the other side is to answer.
  return (target, callback) => {
    let socket: Socket;
    if (target.protocol !== 'https:') {
      socket = begin(overTcp, target, callback);
    } else if (target.httpSocket) {
      socket = begin(tls(), target, callback);
    } else {
      const tcp = { ...target, protocol: 'http:', port: target.port || '443' };
      socket = begin(overTcp, tcp, (error, httpSocket) => {
        clearTimeout(soon);
        if (error) return callback(error, null);
        socket = begin(tls(), { ...target, httpSocket }, callback);
      });
      // In the meantime, and not at once: a name that is known is looked up by then, and the connection on its way.
      const soon = setTimeout(tls, 2);
    }
    return (reason) => socket.destroy(reason);
  };
}

/** The connector returns its socket, which its type does not say. */
const begin = (
  connect: buildConnector.connector,
  target: buildConnector.Options,
  callback: buildConnector.Callback,
): Socket => connect(target, callback) as unknown as Socket;

/** As each connection would make it for itself. */
function secureContext(): SecureContext {
  const { createSecureContext, DEFAULT_CIPHERS } = process.getBuiltinModule('node:tls');
  return createSecureContext({ ciphers: DEFAULT_CIPHERS });
}
