// The process of a val: its own process group, the pipe to it, and its certain end.
import { spawn } from 'node:child_process';
import { kill } from 'node:process';
import type { Duplex } from 'node:stream';
import { frameReader, messageFrame, type Order, type Report } from './protocol.ts';

export interface ValProcess {
  send(order: Order): void;
  /** Holds the val up while there is more than can be taken. */
  pause(): void;
  resume(): void;
  /** With all that it started, at once. */
  end(): void;
  ended: Promise<Ending>;
}

export interface Ending {
  code: number | null;
  signal: NodeJS.Signals | null;
  /** Why it could not be started at all. */
  problem?: Error;
}

export interface ValProcessOptions {
  /** Node or another, with what it is given before the program's name. */
  command: string;
  flags: readonly string[];
  program: string;
  env: NodeJS.ProcessEnv;
  cwd: string;
  onReport(report: Report): void;
  onBytes(bytes: Buffer): void;
}

/** What the val prints goes to our stderr without a way through us, so that no amount of it is too much. */
export function startProcess({
  command,
  flags,
  program,
  env,
  cwd,
  onReport,
  onBytes,
}: ValProcessOptions): ValProcess {
  const child = spawn(command, [...flags, program], {
    env,
    cwd,
    detached: true,
    stdio: ['inherit', 2, 2, 'pipe'],
  });
  const pipe = child.stdio[3] as Duplex;
  pipe.on('data', frameReader<Report>(onReport, onBytes));
  pipe.on('error', () => {});
  const end = () => {
    try {
      if (child.pid !== undefined) kill(-child.pid, 'SIGKILL');
    } catch {
      // The group is gone already, or the system has none.
      child.kill('SIGKILL');
    }
  };
  const ended = new Promise<Ending>((resolve) => {
    child.once('error', (problem) => resolve({ code: null, signal: null, problem }));
    // Closed, the pipe has given all that was in it.
    child.once('close', (code, signal) => resolve({ code, signal }));
  });
  // What it started may hold the pipe open after it has gone itself.
  child.once('exit', end);
  return {
    send: (order) => void pipe.write(messageFrame(order)),
    pause: () => void pipe.pause(),
    resume: () => void pipe.resume(),
    end,
    ended,
  };
}
