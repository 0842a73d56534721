// Starts git so that it reads the repository and runs no program that the repository names.
import { type ChildProcessByStdio, spawn } from 'node:child_process';
import { dirname, parse } from 'node:path';
import type { Readable, Writable } from 'node:stream';
import { isMissing } from '../../core/lib/system.ts';
import type { Clock } from '../../core/lib/waiting.ts';

export interface GitPlace {
  /** The folder that has .git, as a real path. */
  top: string;
  env: NodeJS.ProcessEnv;
  signal: AbortSignal;
  clock: Clock;
}

export type GitFailure = 'no git program' | 'dubious ownership' | 'too long' | 'failed';

/** The text that git prints, and the reason if git failed. Git ends as soon as nobody reads on. */
export type GitOutput = AsyncGenerator<string, GitFailure | undefined>;

/** Then git is ended. */
const mostMs = 5_000;

export async function* startGit(place: GitPlace, args: readonly string[], input = ''): GitOutput {
  const { signal, clock } = place;
  const child = spawnGit(place, args);
  // git may end before it has read everything.
  child.stdin.on('error', () => {}).end(input);
  const tooLong = new AbortController();
  const cancel = clock.after(mostMs, () => tooLong.abort());
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

/**
 * git starts in the folder with .git, where it looks for .git first. Below it, a folder that looks like a bare repository would
 * be the repository. With --git-dir, git would not ask to whom the repository belongs.
 */
function spawnGit({ top, env }: GitPlace, args: readonly string[]): Child {
  const child = spawn('git', ['--no-pager', '-C', top, ...runsNothing, ...args], {
    // Windows looks for a program in the current folder first, which may be the repository.
    cwd: parse(top).root,
    env: {
      ...gitEnvironment(env),
      // Otherwise git takes a repository further up where it does not accept this one.
      GIT_CEILING_DIRECTORIES: dirname(top),
      GIT_OPTIONAL_LOCKS: '0',
      // A partial clone would fetch what it lacks. Older versions of git know only the second of these.
      GIT_NO_LAZY_FETCH: '1',
      GIT_ALLOW_PROTOCOL: 'none',
    },
    stdio: 'pipe',
    windowsHide: true,
  });
  child.stdout.setEncoding('utf8');
  return child;
}

/** All settings by which the commands that vals uses would run a program, except those that fetch. */
const runsNothing = [
  'core.fsmonitor=false',
  'log.showSignature=false',
  'safe.bareRepository=explicit',
].flatMap((setting) => ['-c', setting]);

/**
 * Without the variables of git but those with settings of the user: while git runs a hook, they point to another repository, and
 * some name programs. Without those of vals, because one of them is the token.
 */
export function gitEnvironment(env: NodeJS.ProcessEnv): NodeJS.ProcessEnv {
  const kept = Object.entries(env).filter(([name]) => !/^(?:GIT_(?!CONFIG_)|VALS_)/i.test(name));
  return { ...Object.fromEntries(kept), LC_ALL: 'C' };
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
