import { type ChildProcess, type ChildProcessByStdio, spawn } from 'node:child_process';
import { Duplex, type Writable } from 'node:stream';
import { requireOpenFiles, tooFewFiles } from '../lib/open-files.ts';
import { refuseDebugger } from '../lib/signals.ts';
import { withoutInheritedFiles } from './descriptors.ts';
import { messageFrame, type Order, type Report, reportReader } from './protocol.ts';

/** With fewer files, Node crashes in the process of the val. */
const filesForRun = 20;

export interface ValProcess {
  send(order: Order): void;
  pause(): void;
  resume(): void;
  end(): void;
  ended: Promise<Ending>;
}

export interface Ending {
  code: number | null;
  signal: NodeJS.Signals | null;
  startError?: Error;
  watchdogError?: Error;
}

export interface ProcessOptions {
  command: readonly [string, ...string[]];
  env: NodeJS.ProcessEnv;
  cwd: string;
  stdin: 'inherit' | 'ignore';
  platform: NodeJS.Platform;
}

interface Listener {
  onReport(report: Report): void;
  onBytes(bytes: Buffer): void;
  onInvalidReport(): void;
}

export function startProcess(
  { command: [node, ...args], env, cwd, stdin, platform }: ProcessOptions,
  { onReport, onBytes, onInvalidReport }: Listener,
): ValProcess {
  refuseDebugger();
  requireOpenFiles(filesForRun, 'running a val');
  // A detached child has its own process group, so that startWatchdog can kill the group. On Windows, the system ends
  // the child when vals ends.
  const detached = platform !== 'win32';
  const child = withoutInheritedFiles((others) =>
    spawn(node, args, { env, cwd, detached, stdio: [stdin, 2, 2, 'pipe', ...others] }),
  );
  // Node leaves `stdio` undefined if the process has too many open files.
  if (child.stdio === undefined) {
    child.on('error', () => {});
    throw tooFewFiles('running a val');
  }
  const pipe = child.stdio[3];
  if (!(pipe instanceof Duplex)) throw new TypeError('The process has no pipe.');
  const watchdog = detached ? startWatchdog(child) : undefined;
  const kill = () => {
    child.kill('SIGKILL');
    watchdog?.stdin.destroy();
  };
  let isAnswering = false;
  const read = reportReader((report) => {
    if ('load' in report) {
      // Only one import may wait for an answer. A val that reads no answers could otherwise fill the memory of
      // the parent process.
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
    child.once('close', (code, signal) => resolve({ code, signal }));
    // The val has run no code yet, because it gets its code later, with `send`.
    watchdog?.once('error', (watchdogError) => {
      child.kill('SIGKILL');
      resolve({ code: null, signal: null, watchdogError });
    });
  });
  // `kill` must run at 'exit', because a process that the val started could hold the pipe open and delay 'close'.
  child.once('exit', kill);
  return {
    send(order) {
      if ('module' in order) isAnswering = false;
      pipe.write(messageFrame(order));
    },
    pause: () => void pipe.pause(),
    resume: () => void pipe.resume(),
    end() {
      kill();
      // A process that has left the process group could hold the pipe open for ever.
      pipe.destroy();
    },
    ended,
  };
}

function startWatchdog({ pid }: ChildProcess): ChildProcessByStdio<Writable, null, null> | undefined {
  if (pid === undefined) return undefined;
  const script = 'read -r _; kill -9 "-$1"';
  const shell = spawn('/bin/sh', ['-c', script, 'vals-watchdog', `${pid}`], {
    // Ctrl-C must not end the shell before the shell kills the val.
    detached: true,
    stdio: ['pipe', 'ignore', 'ignore'],
  });
  shell.stdin.on('error', () => {});
  shell.unref();
  return shell;
}
