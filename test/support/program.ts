import { type ChildProcess, execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync, mkdtempSync, readFileSync, writeFileSync } from 'node:fs';
import { rm } from 'node:fs/promises';
import { constants, tmpdir } from 'node:os';
import { dirname, join, resolve } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { execa } from 'execa';
import { afterAll, expect, onTestFinished, TestRunner } from 'vitest';
import { quickRetries } from './clocks.ts';
import { type Answer, type InProcessOptions, inProcess } from './in-process.ts';
import { openTerminal, type Terminal, type TerminalSettings } from './terminal.ts';

export const program = resolve('bin/vals.js');

/** Cleans up after the running test, or after the whole file for what its tests share. */
export function atEnd(cleanUp: () => Promise<void>): void {
  if (TestRunner.getCurrentTest() === undefined) afterAll(cleanUp);
  else onTestFinished(cleanUp);
}

export function temporaryFolder(): string {
  const folder = mkdtempSync(join(tmpdir(), 'vals-test-'));
  atEnd(() => rm(folder, { recursive: true, force: true }));
  return folder;
}

export function folderOf(files: Record<string, string | Uint8Array>): string {
  const folder = temporaryFolder();
  writeFiles(folder, files);
  return folder;
}

export function writeFiles(folder: string, files: Record<string, string | Uint8Array>): void {
  for (const [path, content] of Object.entries(files)) {
    mkdirSync(join(folder, dirname(path)), { recursive: true });
    writeFileSync(join(folder, path), content);
  }
}

export const folderOfVals = (names: readonly string[], codeOf = (name: string): string => name): string =>
  folderOf(Object.fromEntries(names.map((name) => [`${name}.ts`, codeOf(name)])));

export const valNames = (count: number): string[] =>
  Array.from({ length: count }, (_, index) => `val${index}`);

/** Node connects a child process with sockets instead of pipes, so tests of pipes need `mkfifo`. */
export function makeNamedPipe(path: string): void {
  execFileSync('bash', ['-c', 'mkfifo -m 600 "$0"', path]);
}

const sharedCache = resolve('node_modules/.cache/vals-test');

export interface RunOptions {
  env?: Record<string, string | undefined>;
  input?: string | Uint8Array;
  cwd?: string;
  home?: string;
  /** The Node that runs vals, if it is another one than that of the tests. */
  node?: string;
}

export function environment(home: string, env: RunOptions['env'] = {}): Record<string, string> {
  // One cache of bytecode for all, so that each start takes as long as it does for a user.
  const own = { HOME: home, TMPDIR: home, XDG_CACHE_HOME: sharedCache };
  const clean = { PATH: process.env.PATH, ...own, LANG: 'C.UTF-8', ...env };
  return Object.fromEntries(
    Object.entries(clean).filter((entry): entry is [string, string] => entry[1] !== undefined),
  );
}

export interface RunResult {
  exit: number;
  stdout: string;
  stderr: string;
  error: Record<string, unknown> | undefined;
}

/** What a run ends with: the exit code, and words on stderr. */
export const ends = (exit: number, words: string) => ({ exit, stderr: expect.stringContaining(words) });

/** Starts no process, which is fast, but cannot test signals, pipes, Node flags or crashes. */
export async function run(
  args: readonly string[],
  options: RunOptions & Pick<InProcessOptions, 'clock'> = {},
): Promise<RunResult> {
  const home = options.home ?? temporaryFolder();
  const { exit, stdout, stderr } = await inProcess(args, {
    env: environment(home, options.env),
    cwd: options.cwd ?? home,
    input: options.input,
    clock: options.clock,
  });
  return { exit, stdout, stderr, error: errorObject(stderr) };
}

/** Like `run`, but retries and time limits below 5 s come 50 times as soon. */
export const runQuickly: typeof run = (args, options) => run(args, { clock: quickRetries, ...options });

export async function runProcess(args: readonly string[], options: RunOptions = {}): Promise<RunResult> {
  const home = options.home ?? temporaryFolder();
  const { exitCode, stdout, stderr } = await execa(options.node ?? process.execPath, [program, ...args], {
    env: environment(home, options.env),
    extendEnv: false,
    cwd: options.cwd ?? home,
    input: options.input ?? '',
    reject: false,
    stripFinalNewline: false,
  });
  return { exit: exitCode ?? -1, stdout, stderr, error: errorObject(stderr) };
}

/** Returns the status that a shell shows. On a busy machine, the signal may end vals before vals exits with a code. */
export const exitStatus = (code: number | null | undefined, signal?: NodeJS.Signals | null): number =>
  code ?? 128 + (signal ? constants.signals[signal] : 0);

export interface Ended {
  exit: number | null;
  signal: NodeJS.Signals | null;
  stdout: string;
  stderr: string;
}

export function startProcess(
  args: readonly string[],
  { env = {}, cwd = temporaryFolder(), home = cwd }: Pick<RunOptions, 'env' | 'cwd' | 'home'>,
  unread?: 'stdout' | 'stderr',
): { child: ChildProcess; ended: Promise<Ended>; text: { stdout: string; stderr: string } } {
  const child = spawn(process.execPath, [program, ...args], {
    env: environment(home, env),
    cwd,
    detached: true,
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  onTestFinished(() => void child.kill('SIGKILL'));
  const text = { stdout: '', stderr: '' };
  const ends = (['stdout', 'stderr'] as const)
    .filter((name) => name !== unread)
    .map((name) => {
      child[name].on('data', (chunk) => {
        text[name] += chunk;
      });
      return once(child[name], 'end');
    });
  const ended = once(child, 'exit').then(async ([exit, signal]): Promise<Ended> => {
    await Promise.all(ends);
    return { exit, signal, ...text };
  });
  return { child, ended, text };
}

/**
 * Waits until the process uses no processor time, because it waits for a reader. Looks several times: on a busy machine, a
 * process that is not idle may get no processor time between two looks.
 */
export async function untilIdle(pid: number): Promise<void> {
  const ticks = () => {
    const fields = readFileSync(`/proc/${pid}/stat`, 'latin1').split(') ')[1]?.split(' ') ?? [];
    return Number(fields[11]) + Number(fields[12]);
  };
  let before = -1;
  let equalLooks = 0;
  while (equalLooks < 3) {
    const now = ticks();
    equalLooks = now === before ? equalLooks + 1 : 0;
    before = now;
    await sleep(100);
  }
}

function errorObject(stderr: string): Record<string, unknown> | undefined {
  try {
    return JSON.parse(stderr.trimEnd().split('\n').at(-1) ?? '').error;
  } catch {
    return undefined;
  }
}

export interface ScreenOptions
  extends RunOptions,
    Pick<InProcessOptions, 'answers' | 'clock' | 'heard' | 'platform' | 'signal'> {
  columns?: number;
}

/** On a busy machine, a spinner would appear on any screen. CI turns it off, and a test of the spinner takes CI away. */
export async function runOnScreen(
  args: readonly string[],
  options: ScreenOptions = {},
): Promise<{ exit: number; screen: string; stdout: string }> {
  const { home = temporaryFolder(), columns = 80, env, cwd = home, ...rest } = options;
  const { exit, screen, stdout } = await inProcess(args, {
    env: environment(home, { TERM: 'xterm-256color', CI: 'true', ...env }),
    cwd,
    terminal: { columns },
    ...rest,
  });
  return { exit, screen: screen.replaceAll('\n', '\r\n'), stdout };
}

export interface TerminalOptions extends RunOptions, Pick<TerminalSettings, 'columns' | 'onScreen'> {
  answers?: readonly Answer[];
}

export async function runAtTerminal(
  args: readonly string[],
  options: TerminalOptions = {},
): Promise<{ exit: number; screen: string }> {
  const { home = temporaryFolder(), answers = [], columns, onScreen } = options;
  const terminal = openTerminal([process.execPath, program, ...args], {
    cwd: options.cwd ?? home,
    env: environment(home, { TERM: 'xterm-256color', ...options.env }),
    columns,
    onScreen,
  });
  const answerAll = async () => {
    for (const { after, keys } of answers) {
      await terminal.shows(after);
      terminal.press(keys);
    }
  };
  void answerAll();
  return { exit: await terminal.ended, screen: terminal.text() };
}

export function shellAtTerminal(
  script: string,
  env: Record<string, string> = {},
  cwd: string = temporaryFolder(),
): Terminal {
  return openTerminal(['bash', '-c', script], {
    cwd,
    env: environment(cwd, { TERM: 'xterm-256color', ...env, vals: `${process.execPath} ${program}` }),
  });
}
