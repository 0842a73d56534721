import { type ChildProcess, spawn } from 'node:child_process';
import { Duplex, PassThrough, type Readable } from 'node:stream';
import type { Clock } from '../core/lib/clock.ts';
import type { Modules } from './modules.ts';
import { type Group, programsOf } from './process-group.ts';
import { channels, frame, frameReader, type ModuleRequest, type ValEvent } from './protocol.ts';

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
}

export interface ProcessListener {
  onEvent(event: ValEvent): void;
  onLog(bytes: Buffer): void;
}

export interface ValProcess {
  /** What the val returns, as it comes. If nobody reads it, the val's process waits. */
  value: Readable;
  /** When it asked for its first module. What is before it is the start of vals and of Node. */
  beganAt(): number;
  /** Sends a signal to the val and the programs that it started, and SIGKILL two seconds later. */
  end(signal?: NodeJS.Signals): void;
  ended: Promise<Ending>;
}

export interface Ending {
  code: number | null;
  signal: NodeJS.Signals | null;
  startError?: Error;
}

const graceMs = 2_000;

export function startProcess(options: ProcessOptions, listener: ProcessListener): ValProcess {
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
    ],
  });
  // On Windows, the system ends the child with vals.
  const watchdog = isUnix ? startWatchdog(child, group) : undefined;
  if (isUnix) handOnSignals(child);
  listen(child, options.modules, listener);
  const value = channelOf(child, channels.value);
  let beganAt: number | undefined;
  channelOf(child, channels.modules).once('data', () => {
    beganAt = clock.now();
  });
  let cancelKill = () => {};

  const programs = isUnix && child.pid !== undefined ? programsOf(child.pid, group) : undefined;
  const kill = (signal: NodeJS.Signals) => {
    if (programs === undefined) child.kill(signal);
    else programs.signal(signal);
  };
  const ended = new Promise<Ending>((resolve) => {
    child.once('error', (startError) => resolve({ code: null, signal: null, startError }));
    child.once('exit', () => {
      cancelKill();
      programs?.end();
      watchdog?.stdin?.destroy();
    });
    // Comes when everything that the val sent has been read.
    child.once('close', (code, signal) => resolve({ code, signal }));
  });
  return {
    value,
    beganAt: () => beganAt ?? clock.now(),
    end(signal = 'SIGTERM') {
      // A val that waits for a reader could not handle the signal.
      value.resume();
      if (child.exitCode !== null || child.signalCode !== null) return;
      // The terminal has sent this signal to the val, too.
      const isSent = group === 'shared' && signal === 'SIGINT';
      if (!isSent) kill(signal);
      cancelKill();
      cancelKill = clock.after(graceMs, () => kill('SIGKILL'));
    },
    ended,
  };
}

const handedOn = ['SIGHUP', 'SIGUSR2', 'SIGQUIT'] as const;

/** The val may handle these signals. One that it does not handle ends the val, and then vals, as it would end `node`. */
function handOnSignals(child: ChildProcess): void {
  const received = new Set<string>();
  const handOn = (name: NodeJS.Signals) => {
    received.add(name);
    child.kill(name);
  };
  for (const name of handedOn) process.on(name, handOn);
  child.once('exit', (_code, signal) => {
    for (const name of handedOn) process.off(name, handOn);
    if (signal !== null && received.has(signal)) process.kill(process.pid, signal);
  });
}

function listen(child: ChildProcess, modules: Modules, { onEvent, onLog }: ProcessListener): void {
  const requests = channelOf(child, channels.modules);
  const readRequest = frameReader<ModuleRequest>(async (request) => {
    const reply = await modules.answer(request);
    if (reply !== undefined && !requests.destroyed) requests.write(frame(reply));
  });
  requests.on('data', readRequest);
  child.once('exit', () => requests.destroy());
  channelOf(child, channels.events).on('data', frameReader<ValEvent>(onEvent));
  channelOf(child, channels.log).on('data', onLog);
}

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
