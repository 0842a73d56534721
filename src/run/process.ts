// Starts the process of a val in a separate process group, with a pipe to this process and a watchdog.
import { type ChildProcess, spawn } from 'node:child_process';
import { Duplex } from 'node:stream';
import { refuseDebugger } from '../lib/signals.ts';
import { messageFrame, type Order, type Report, reportReader } from './protocol.ts';

export interface ValProcess {
  send(order: Order): void;
  /** Stops reading the pipe, so that the val has to wait. */
  pause(): void;
  resume(): void;
  /** Ends the val at once, and also every process that the val started. */
  end(): void;
  ended: Promise<Ending>;
}

export interface Ending {
  code: number | null;
  signal: NodeJS.Signals | null;
  startError?: Error;
}

export interface ProcessOptions {
  /** The path of Node, the options of Node, and the program that loads the val. */
  command: readonly [string, ...string[]];
  env: NodeJS.ProcessEnv;
  cwd: string;
  /** With 'inherit', the val gets the standard input of this process. With 'ignore', the val gets no input. */
  stdin: 'inherit' | 'ignore';
  platform: NodeJS.Platform;
}

interface Listener {
  onReport(report: Report): void;
  onBytes(bytes: Buffer): void;
  /** Called if the pipe contains something that is not a report. Then the val's code itself wrote to the pipe. */
  onInvalidReport(): void;
}

/**
 * Windows has no process groups. On Windows, Node puts a child that is not detached into a job, and when this process
 * ends, the system ends the processes of the job. A detached child would also lose the console, so its output would not
 * appear.
 */
const hasGroups = (platform: NodeJS.Platform): boolean => platform !== 'win32';

/** The val writes directly to stderr, so this process does not have to buffer the val's output. */
export function startProcess(
  { command: [node, ...args], env, cwd, stdin, platform }: ProcessOptions,
  { onReport, onBytes, onInvalidReport }: Listener,
): ValProcess {
  refuseDebugger();
  const detached = hasGroups(platform);
  const child = spawn(node, args, { env, cwd, detached, stdio: [stdin, 2, 2, 'pipe'] });
  const pipe = child.stdio[3];
  if (!(pipe instanceof Duplex)) throw new TypeError('The process has no pipe.');
  const endGroup = detached ? startWatchdog(child) : () => {};
  const end = () => {
    child.kill('SIGKILL');
    endGroup();
  };
  let isAnswering = false;
  const read = reportReader((report) => {
    if ('load' in report) {
      // The child asks for one import at a time. Without this check, a val that sends requests and reads no answers
      // could fill the memory of this process.
      if (isAnswering || pipe.writableLength > 0) throw new Error('The last import is not answered yet.');
      isAnswering = true;
    }
    onReport(report);
  }, onBytes);
  pipe.on('data', (piece) => {
    try {
      read(piece);
    } catch {
      pipe.removeAllListeners('data').resume();
      onInvalidReport();
    }
  });
  pipe.on('error', () => {});
  const ended = new Promise<Ending>((resolve) => {
    child.once('error', (startError) => resolve({ code: null, signal: null, startError }));
    // At 'close', this process has read everything in the pipe.
    child.once('close', (code, signal) => resolve({ code, signal }));
  });
  // When the val's process exits, the processes that the val started are ended too. They could hold the pipe open and
  // delay 'close'.
  child.once('exit', end);
  return {
    send(order) {
      if ('module' in order) isAnswering = false;
      pipe.write(messageFrame(order));
    },
    pause: () => void pipe.pause(),
    resume: () => void pipe.resume(),
    end,
    ended,
  };
}

/**
 * Starts a shell that waits until its input ends, and then kills the process group of the val. The input ends when this
 * process closes it, or when this process has ended for any reason. The shell runs in a separate session, so that no
 * signal from the terminal reaches the shell.
 */
function startWatchdog({ pid }: ChildProcess): () => void {
  if (pid === undefined) return () => {};
  const script = 'read -r _; kill -9 "-$1"';
  const shell = spawn('/bin/sh', ['-c', script, 'vals-watchdog', `${pid}`], {
    detached: true,
    stdio: ['pipe', 'ignore', 'ignore'],
  });
  shell.on('error', () => {});
  shell.stdin.on('error', () => {});
  shell.unref();
  return () => void shell.stdin.destroy();
}
