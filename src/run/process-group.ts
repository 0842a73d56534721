import { spawnSync } from 'node:child_process';

/**
 * At a terminal, the val is in the process group of vals, as a program of `node` would be: only so do Ctrl-Z, /dev/tty and
 * a changed window size work. Elsewhere it has a group of its own, which can be ended as a whole. Windows has no groups.
 */
export type Group = 'own' | 'shared';

/** The val and the programs that it started. */
export interface Programs {
  signal(name: NodeJS.Signals): void;
  /** Ends what is left of a group, or of the programs that got a signal. */
  end(): void;
}

export function programsOf(pid: number, group: Group): Programs {
  const known = new Set(group === 'own' ? [-pid] : []);
  const signal = (name: NodeJS.Signals) => {
    for (const target of known) send(target, name);
  };
  return {
    signal(name) {
      if (group === 'shared') for (const each of withDescendants(pid)) known.add(each);
      signal(name);
    },
    end: () => signal('SIGKILL'),
  };
}

function send(target: number, name: NodeJS.Signals): void {
  try {
    process.kill(target, name);
  } catch {
    // It has ended by itself.
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
