// Whether the other end of a connection belongs to the user whose service this is. Linux tells; elsewhere nobody knows.
import { readFileSync } from 'node:fs';
import type { Socket } from 'node:net';

export function isOwnersConnection({ remoteAddress, remotePort, localPort }: Socket): boolean {
  const owner = process.getuid?.();
  if (owner === undefined || remoteAddress === undefined) return false;
  const row = connections().find(
    ({ local, remote }) =>
      local === endpoint(remoteAddress, remotePort) && remote.endsWith(`:${hex(localPort)}`),
  );
  return row?.user === owner;
}

interface Connection {
  local: string;
  remote: string;
  user: number;
}

/** As the kernel lists them: number, local and remote end, state, queues, timer, retransmits, user. */
function connections(): Connection[] {
  try {
    return readFileSync('/proc/net/tcp', 'utf8')
      .split('\n')
      .slice(1)
      .map((line) => line.trim().split(/\s+/))
      .map(([, local = '', remote = '', , , , , user]) => ({ local, remote, user: Number(user) }));
  } catch {
    return [];
  }
}

/** The bytes of an address are written backwards, the port is not. */
const endpoint = (address: string, port: number | undefined): string =>
  `${address
    .replace(/^::ffff:/, '')
    .split('.')
    .reverse()
    .map((part) => Number(part).toString(16).padStart(2, '0').toUpperCase())
    .join('')}:${hex(port)}`;

const hex = (port = 0): string => port.toString(16).padStart(4, '0').toUpperCase();
