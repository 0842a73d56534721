// A named pipe (FIFO). Node's own pipes to its children are sockets.
import { execFileSync } from 'node:child_process';

export function makeNamedPipe(path: string): void {
  execFileSync('bash', ['-c', 'mkfifo -m 600 "$0"', path]);
}
