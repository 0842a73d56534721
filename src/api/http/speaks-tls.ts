// Whether a port that does not answer in plain text speaks TLS.
import type { Clock } from '../../lib/clock.ts';
import { isTlsSpoken } from './tls-problem.ts';

const patienceMs = 1_000;

/** Greets it as TLS does, and sends nothing else. */
export async function speaksTls(origin: string, clock: Clock, signal: AbortSignal): Promise<boolean> {
  const { connect } = await import('node:tls');
  const { hostname, port } = new URL(origin);
  return new Promise((resolve) => {
    const host = hostname.replace(/^\[|\]$/g, '');
    const socket = connect({ host, port: Number(port || 80), ALPNProtocols: ['http/1.1'] });
    const settle = (spoken: boolean) => {
      cancel();
      signal.removeEventListener('abort', giveUp);
      socket.destroy();
      resolve(spoken);
    };
    const giveUp = () => settle(false);
    const cancel = clock.after(patienceMs, giveUp);
    signal.addEventListener('abort', giveUp);
    socket.on('secureConnect', () => settle(true)).on('error', (error) => settle(isTlsSpoken(error)));
  });
}
