// A named pipe, which is what a shell's `|` makes; what Node gives its children is a socket.
import { execFileSync } from 'node:child_process';

export function makeNamedPipe(path: string): void {
  execFileSync('bash', ['-c', 'mkfifo -m 600 "$0"', path]);
}
