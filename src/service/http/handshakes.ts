// Limits the TLS handshakes of one address, because each takes milliseconds of work before the service knows its caller.
import type { Socket } from 'node:net';
import { type BucketLimits, createRateLimit } from './rate-limit.ts';

/**
 * OpenSSL accepts 131,000 bytes before the end of a handshake, and they take 40 ms if each is a record of its own. So only
 * some handshakes of one address are under way at a time, and one that is longer than usual counts as several.
 */
const perAddress = { perSecond: 20, burst: 200, inFlight: 40 };
const usualBytes = 4_096;

interface Handshakes {
  mayBegin(socket: Socket, address: string): boolean;
  end(socket: Socket): void;
}

export function createHandshakes(limits: BucketLimits = perAddress): Handshakes {
  const rateLimit = createRateLimit(limits, () => performance.now());
  const endings = new Map<string, () => void>();

  return {
    mayBegin(socket, address) {
      const leave = rateLimit.enter(address);
      if (!leave) return false;
      const endpoints = endpointsOf(socket);
      let isUnderWay = true;
      const end = () => {
        if (!isUnderWay) return;
        isUnderWay = false;
        // After a reset, the next connection may use the same port, and begin before this one is closed.
        if (endings.get(endpoints) === end) endings.delete(endpoints);
        leave();
        rateLimit.spendAhead(address, Math.floor(socket.bytesRead / usualBytes), Number.POSITIVE_INFINITY);
      };
      endings.set(endpoints, end);
      socket.once('close', end);
      return true;
    },
    end: (socket) => endings.get(endpointsOf(socket))?.(),
  };
}

/**
 * Finds the connection again, because Node emits 'connection' and 'secureConnection' with different objects. The local
 * address is included, because a client may use one port for connections to several addresses.
 */
const endpointsOf = ({ localAddress, remoteAddress, remotePort }: Socket): string =>
  `${localAddress} ${remoteAddress} ${remotePort}`;
