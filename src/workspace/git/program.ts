// Starts git as a program that reads the repository and runs nothing that the repository names.
import { type ChildProcessByStdio, spawn } from 'node:child_process';
import { dirname, parse } from 'node:path';
import type { Readable } from 'node:stream';
import type { Clock } from '../../core/lib/clock.ts';
import { isMissing } from '../../core/lib/system.ts';

export type GitFailure = 'no git program' | 'no commits' | 'too long' | 'failed';

export interface GitOptions {
  /** A folder in the repository, as a real path. */
  folder: string;
  /** The folder that has .git. */
  top: string;
  env: NodeJS.ProcessEnv;
  signal: AbortSignal;
  clock: Clock;
}

export interface GitProgram {
  /** Git waits until somebody reads its output. */
  start(args: readonly string[]): GitOutput;
  run(args: readonly string[]): Promise<{ printed: string; failure: GitFailure | undefined }>;
  close(): Promise<void>;
}

/** The text that git prints, and the reason if git failed. */
export type GitOutput = AsyncGenerator<string, GitFailure | undefined>;

/** For all that git does for one command. The time does not run while nobody waits for git. */
const timeLimitMs = 5_000;

export function createGitProgram({ folder, top, env, signal, clock }: GitOptions): GitProgram {
  const stop = new AbortController();
  const ending = AbortSignal.any([signal, stop.signal]);
  const running = new Set<Promise<unknown>>();
  let usedMs = 0;
  let isTooLong = false;

  async function* start(args: readonly string[]): GitOutput {
    const child = startGit(folder, args, gitEnvironment(env, top));
    const ended = endOf(child, ending);
    running.add(ended);
    const chunks: AsyncIterator<string> = child.stdout[Symbol.asyncIterator]();
    for (;;) {
      // Reading ends with an error if git was ended. The failure says so.
      const chunk = await timed(() => chunks.next().catch(() => undefined));
      if (chunk === undefined || chunk.done) break;
      yield chunk.value;
    }
    const failure = await timed(() => ended);
    running.delete(ended);
    signal.throwIfAborted();
    return isTooLong ? 'too long' : failure;
  }

  async function timed<Value>(work: () => Promise<Value>): Promise<Value> {
    const startMs = clock.now();
    const cancel = clock.after(timeLimitMs, giveUp);
    try {
      return await work();
    } finally {
      cancel();
      usedMs += clock.now() - startMs;
      if (usedMs > timeLimitMs) giveUp();
    }
  }

  function giveUp(): void {
    isTooLong = true;
    stop.abort();
  }

  return {
    start,
    async run(args) {
      const output = start(args);
      let printed = '';
      for (;;) {
        const { done, value } = await output.next();
        if (done) return { printed, failure: value };
        printed += value;
      }
    },
    async close() {
      stop.abort();
      await Promise.all(running);
    },
  };
}

/** While git runs a hook, its variables point to another repository. Only the settings of the user are kept. */
function gitEnvironment(env: NodeJS.ProcessEnv, top: string): NodeJS.ProcessEnv {
  const kept = Object.entries(env).filter(([name]) => !/^GIT_(?!CONFIG_)/.test(name));
  return {
    ...Object.fromEntries(kept),
    // Otherwise git takes a repository further up where it does not accept this one.
    GIT_CEILING_DIRECTORIES: dirname(top),
    GIT_OPTIONAL_LOCKS: '0',
    // A partial clone would fetch what it lacks. Older versions of git know only the second of these.
    GIT_NO_LAZY_FETCH: '1',
    GIT_ALLOW_PROTOCOL: 'none',
    LC_ALL: 'C',
  };
}

type Child = ChildProcessByStdio<null, Readable, Readable>;

function startGit(folder: string, args: readonly string[], env: NodeJS.ProcessEnv): Child {
  const child = spawn('git', ['--no-pager', '-C', folder, '-c', 'core.fsmonitor=false', ...args], {
    // Windows looks for a program in the current folder first, which may be the repository.
    cwd: parse(folder).root,
    env,
    stdio: ['ignore', 'pipe', 'pipe'],
    windowsHide: true,
  });
  child.stdout.setEncoding('utf8');
  child.stdout.on('error', () => {});
  return child;
}

function endOf(child: Child, ending: AbortSignal): Promise<GitFailure | undefined> {
  const end = () => {
    child.kill('SIGKILL');
    // A program that git started may still hold these.
    child.stdout.destroy();
    child.stderr.destroy();
  };
  let message = '';
  child.stderr.setEncoding('utf8').on('data', (part: string) => {
    if (message.length < 10_000) message += part;
  });
  ending.addEventListener('abort', end);
  if (ending.aborted) end();
  return new Promise<GitFailure | undefined>((resolve) => {
    child.once('error', (error) => resolve(isMissing(error) ? 'no git program' : 'failed'));
    child.once('close', (code) => resolve(code === 0 ? undefined : failureOf(message)));
  }).finally(() => ending.removeEventListener('abort', end));
}

const failureOf = (message: string): GitFailure =>
  message.includes('Not a valid object name HEAD') ? 'no commits' : 'failed';
