import { spawnSync } from 'node:child_process';

/**
 * At a terminal, the val is in the process group of vals, as a program of `node` would be: only so do Ctrl-Z, /dev/tty and
 * a changed window size work. Elsewhere it has a group of its own, which can be ended as a whole. Windows has no groups.
 */
export type Group = 'own' | 'shared';

/** Sends a signal to the val and to the programs that it started. */
export function signalAll(pid: number, group: Group, signal: NodeJS.Signals): void {
  const targets = group === 'own' ? [-pid] : withDescendants(pid);
  for (const target of targets) {
    try {
      process.kill(target, signal);
    } catch {
      // It has ended by itself.
    }
  }
}

function withDescendants(pid: number): number[] {
  const { stdout } = spawnSync('ps', ['-A', '-o', 'pid=,ppid='], { encoding: 'utf8', stdio: 'pipe' });
  const processes = (stdout ?? '').split('\n').map((line) => line.trim().split(/\s+/).map(Number));
  const found = [pid];
  for (const parent of found) {
    for (const [child, of] of processes) if (of === parent && child !== undefined) found.push(child);
  }
  return found;
}
