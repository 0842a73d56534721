import { type ChildProcess, spawn } from 'node:child_process';
import { Duplex, PassThrough, type Readable } from 'node:stream';
import type { Clock } from '../../core/lib/waiting.ts';
import type { Modules } from '../modules/modules.ts';
import { type Answer, channels, lineReader, type ValEvent } from '../protocol.ts';
import { readEvent } from './read-event.ts';

/**
 * At a terminal, the val is in the process group of vals, as a program of `node` would be: only so do Ctrl-Z, /dev/tty and
 * a changed window size work. Elsewhere it has a group of its own, which can be ended as a whole. Windows has no groups.
 */
type Group = 'own' | 'shared';

export interface ProcessOptions {
  command: readonly [string, ...string[]];
  env: NodeJS.ProcessEnv;
  cwd: string;
  stdin: 'inherit' | 'ignore';
  stdout: 'stdout' | 'stderr';
  group: Group;
  platform: NodeJS.Platform;
  clock: Clock;
  modules: Modules;
  /** The val serves requests, and learns from a closed channel that it gets no more of them. */
  retires: boolean;
}

export interface ProcessListener {
  onEvent(event: ValEvent): void;
  onLog(bytes: Buffer): void;
  onAsk(line: string): Promise<Answer>;
}

export interface ValProcess {
  /** What the val returns, as it comes. If nobody reads it, the val's process waits. */
  value: Readable;
  /** Sends a signal to the val, or to its whole group, and SIGKILL two seconds later. */
  end(signal?: NodeJS.Signals): void;
  retire(): void;
  ended: Promise<Ending>;
}

export interface Ending {
  code: number | null;
  signal: NodeJS.Signals | null;
  startError?: Error;
}

const graceMs = 2_000;

export function startProcess(
  options: ProcessOptions,
  { onEvent, onLog, onAsk }: ProcessListener,
): ValProcess {
  const [node, ...args] = options.command;
  const { clock, platform, group } = options;
  const isUnix = platform !== 'win32';
  const child = spawn(node, args, {
    env: options.env,
    cwd: options.cwd,
    detached: group === 'own',
    stdio: [
      options.stdin,
      options.stdout === 'stdout' ? 1 : 2,
      2,
      ...Object.values(channels).map(() => 'pipe' as const),
      ...(options.retires ? ['ipc' as const] : []),
    ],
  });
  // On Windows, the system ends the child with vals.
  const watchdog = isUnix ? startWatchdog(child, group) : undefined;
  const readEvents = lineReader((line) => {
    const event = readEvent(line);
    if (event !== undefined) onEvent(event);
  });
  const modules = channelOf(child, channels.modules);
  const readAsk = lineReader(async (line) => {
    modules.write(`${JSON.stringify(await onAsk(line))}\n`);
  });
  modules.on('data', readAsk);
  const value = channelOf(child, channels.value);
  const events = channelOf(child, channels.events).on('data', readEvents);
  const log = channelOf(child, channels.log).on('data', onLog);
  const allRead = Promise.all([value, events, log].map(closing));
  let cancelKill = () => {};

  const kill = (signal: NodeJS.Signals) => {
    if (group === 'own' && child.pid !== undefined) killGroup(child.pid, signal);
    else child.kill(signal);
  };
  const ended = new Promise<Ending>((resolve) => {
    child.once('error', (startError) => resolve({ code: null, signal: null, startError }));
    child.once('exit', async (code, signal) => {
      cancelKill();
      // The programs that the val started.
      if (group === 'own') kill('SIGKILL');
      watchdog?.stdin?.destroy();
      // The event `close` does not come after `disconnect`.
      await allRead;
      resolve({ code, signal });
    });
  });
  return {
    value,
    end(signal = 'SIGTERM') {
      // A val that waits for a reader could not handle the signal.
      value.resume();
      if (child.exitCode !== null || child.signalCode !== null) return;
      // The terminal has sent this signal to the val, too.
      const isSent = group === 'shared' && isUnix && signal === 'SIGINT';
      if (!isSent) kill(signal);
      cancelKill();
      cancelKill = clock.after(graceMs, () => kill('SIGKILL'));
    },
    retire() {
      if (child.connected) child.disconnect();
    },
    ended,
  };
}

function killGroup(pid: number, signal: NodeJS.Signals): void {
  try {
    process.kill(-pid, signal);
  } catch {
    // All of it has ended.
  }
}

const closing = (channel: Duplex): Promise<void> => new Promise((resolve) => channel.once('close', resolve));

/** Node leaves the channels undefined if the process could not be started. */
function channelOf({ stdio }: ChildProcess, channel: number): Duplex {
  const stream = stdio?.at(channel);
  return stream instanceof Duplex ? stream.on('error', () => {}) : new PassThrough().end();
}

/** Ends the val when vals is gone, for whatever reason: then the shell's standard input ends. */
function startWatchdog({ pid }: ChildProcess, group: Group): ChildProcess | undefined {
  if (pid === undefined) return undefined;
  const script = 'read -r _; kill -9 "$1"';
  const target = group === 'own' ? -pid : pid;
  const shell = spawn('/bin/sh', ['-c', script, 'vals-watchdog', `${target}`], {
    // Ctrl-C must not end the shell before the shell ends the val.
    detached: true,
    stdio: ['pipe', 'ignore', 'ignore'],
  });
  shell.on('error', () => {});
  shell.stdin.on('error', () => {});
  shell.unref();
  return shell;
}
