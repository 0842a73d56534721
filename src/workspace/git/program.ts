// Starts git as a program that reads the repository and runs nothing that the repository names.
import { type ChildProcessByStdio, spawn } from 'node:child_process';
import { dirname, parse } from 'node:path';
import type { Readable } from 'node:stream';
import type { Clock } from '../../lib/clock.ts';
import { isMissing } from '../../lib/system.ts';

export type GitFailure = 'no git program' | 'no commits' | 'too long' | 'dubious' | 'failed';

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
  run(args: readonly string[]): Promise<{ printed: string; failure: GitFailure | undefined }>;
  /** Git waits until somebody reads its output. */
  start(args: readonly string[]): GitOutput;
  close(): Promise<void>;
}

interface GitOutput {
  /** Undefined at the end. */
  next(): Promise<string | undefined>;
  /** To be asked at the end. */
  failure(): Promise<GitFailure | undefined>;
}

/** For all that git does for one command. The time does not run while nobody waits for git. */
const timeLimitMs = 5_000;

export function createGitProgram({ folder, top, env, signal, clock }: GitOptions): GitProgram {
  const stop = new AbortController();
  const ending = AbortSignal.any([signal, stop.signal]);
  const running = new Set<Promise<unknown>>();
  let usedMs = 0;
  let isTooLong = false;

  function start(args: readonly string[]): GitOutput {
    const child = startGit(folder, args, gitEnvironment(env, top));
    const ended = endOf(child, ending);
    running.add(ended);
    const chunks: AsyncIterator<string> = child.stdout[Symbol.asyncIterator]();
    return {
      // Reading ends with an error if git was ended. The failure says so.
      next: () =>
        timed(() =>
          chunks.next().then(
            ({ value }) => value,
            () => undefined,
          ),
        ),
      async failure() {
        const failure = await timed(() => ended);
        running.delete(ended);
        signal.throwIfAborted();
        return isTooLong ? 'too long' : failure;
      },
    };
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
      for (let text = await output.next(); text !== undefined; text = await output.next()) printed += text;
      return { printed, failure: await output.failure() };
    },
    async close() {
      stop.abort();
      await Promise.all(running);
    },
  };
}

/** These point git to another repository. They are set while git runs a hook. */
const placesOfRepository = new Set([
  'GIT_ALTERNATE_OBJECT_DIRECTORIES',
  'GIT_OBJECT_DIRECTORY',
  'GIT_DIR',
  'GIT_WORK_TREE',
  'GIT_IMPLICIT_WORK_TREE',
  'GIT_GRAFT_FILE',
  'GIT_INDEX_FILE',
  'GIT_REPLACE_REF_BASE',
  'GIT_PREFIX',
  'GIT_INTERNAL_SUPER_PREFIX',
  'GIT_SHALLOW_FILE',
  'GIT_COMMON_DIR',
  'GIT_NAMESPACE',
]);

export function gitEnvironment(env: NodeJS.ProcessEnv, top: string): NodeJS.ProcessEnv {
  const kept = Object.entries(env).filter(([name]) => !placesOfRepository.has(name));
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
    child.stdout.destroy();
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

function failureOf(message: string): GitFailure {
  if (/dubious ownership|unsafe repository/.test(message)) return 'dubious';
  return message.includes('Not a valid object name HEAD') ? 'no commits' : 'failed';
}
