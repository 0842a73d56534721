// Starts git as a program that reads the repository and runs nothing that the repository names.
import { type ChildProcessByStdio, spawn } from 'node:child_process';
import { dirname, parse } from 'node:path';
import type { Readable, Writable } from 'node:stream';
import { isMissing } from '../../core/lib/system.ts';
import type { Clock } from '../../core/lib/waiting.ts';
import type { GitLimit } from '../compare/types.ts';

export interface GitPlace {
  /** A folder in the repository, as a real path. */
  folder: string;
  /** The folder that has .git. */
  top: string;
  env: NodeJS.ProcessEnv;
  signal: AbortSignal;
  clock: Clock;
  /** When git is ended. Without it, a program has 5 seconds of its own. */
  until?: number;
}

export type GitFailure = Exclude<GitLimit, 'shallow'>;

/** The text that git prints, and the reason if git failed. Git ends as soon as nobody reads on. */
export type GitOutput = AsyncGenerator<string, GitFailure | undefined>;

const mostMs = 5_000;

export async function* startGit(place: GitPlace, args: readonly string[], input = ''): GitOutput {
  const { signal, clock, until = clock.now() + mostMs } = place;
  const child = spawnGit(place, args);
  // git may end before it has read everything.
  child.stdin.on('error', () => {}).end(input);
  const tooLong = new AbortController();
  const cancel = clock.after(Math.max(0, until - clock.now()), () => tooLong.abort());
  const stop = AbortSignal.any([signal, tooLong.signal]);
  const end = () => endProgram(child);
  stop.addEventListener('abort', end);
  if (stop.aborted) end();
  const failure = failureOf(child);
  try {
    // Reading ends with an error if git was ended. The failure says so.
    const chunks: AsyncIterator<string> = child.stdout[Symbol.asyncIterator]();
    for (;;) {
      const chunk = await chunks.next().catch(() => undefined);
      if (chunk === undefined || chunk.done) break;
      yield chunk.value;
    }
    const reason = await failure;
    signal.throwIfAborted();
    return tooLong.signal.aborted ? 'too long' : reason;
  } finally {
    cancel();
    stop.removeEventListener('abort', end);
    endProgram(child);
    await failure;
  }
}

export async function runGit(place: GitPlace, args: readonly string[], input?: string) {
  const output = startGit(place, args, input);
  let printed = '';
  for (;;) {
    const { done, value } = await output.next();
    if (done) return { printed, failure: value };
    printed += value;
  }
}

type Child = ChildProcessByStdio<Writable, Readable, Readable>;

function spawnGit({ folder, top, env }: GitPlace, args: readonly string[]): Child {
  const child = spawn('git', ['--no-pager', '-C', folder, '-c', 'core.fsmonitor=false', ...args], {
    // Windows looks for a program in the current folder first, which may be the repository.
    cwd: parse(folder).root,
    env: gitEnvironment(env, top),
    stdio: 'pipe',
    windowsHide: true,
  });
  child.stdout.setEncoding('utf8');
  return child;
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

function endProgram(child: Child): void {
  child.kill('SIGKILL');
  // A program that git started may still hold these.
  child.stdout.destroy();
  child.stderr.destroy();
}

function failureOf(child: Child): Promise<GitFailure | undefined> {
  let message = '';
  child.stderr.setEncoding('utf8').on('data', (part: string) => {
    if (message.length < 10_000) message += part;
  });
  return new Promise((resolve) => {
    child.once('error', (error) => resolve(isMissing(error) ? 'no git program' : 'failed'));
    child.once('close', (code) => resolve(code === 0 ? undefined : reasonIn(message)));
  });
}

const reasonIn = (message: string): GitFailure =>
  message.includes('dubious ownership') ? 'dubious ownership' : 'failed';
