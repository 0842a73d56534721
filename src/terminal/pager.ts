// Shows text that is longer than the screen in the user's pager, as git does.
import { spawn } from 'node:child_process';

/** Resolves when the pager has ended, or to false if there is no pager and nothing was shown. */
export type Pager = (text: string) => Promise<boolean>;

export interface PagerOptions {
  env: NodeJS.ProcessEnv;
  /** An abort of this signal ends the pager. Ctrl-C does not abort this signal, because Ctrl-C is a key of the pager. */
  signal: AbortSignal;
}

const defaultPager = 'less -FRX';

/** A shell's exit codes for a program that is missing or cannot be run. */
const notFound = 127;
const notExecutable = 126;

export async function page(text: string, { env, signal }: PagerOptions): Promise<boolean> {
  const command = chosenPager(env);
  if (command === undefined) return false;
  const options = {
    stdio: ['pipe', 'inherit', 'inherit'] as ['pipe', 'inherit', 'inherit'],
    env: { ...env, LESS: env.LESS ?? 'FRX', LV: env.LV ?? '-c' },
  };
  // A shell starts the user's pager, because the setting may contain flags. `less` is started directly, so that a missing `less` is noticed.
  const child =
    command === defaultPager ? spawn('less', ['-FRX'], options) : spawn(command, { ...options, shell: true });
  const end = () => child.kill();
  signal.addEventListener('abort', end);
  // The user may close the pager before it has read the whole text.
  child.stdin.on('error', () => {});
  child.stdin.end(text);
  try {
    return await new Promise<boolean>((resolve) => {
      child.once('error', () => resolve(false));
      child.once('close', (code) => resolve(code !== notFound && code !== notExecutable));
    });
  } finally {
    signal.removeEventListener('abort', end);
  }
}

/** Undefined if VALS_PAGER or PAGER is empty or `cat`, if the terminal is dumb, or in CI, because nobody could close the pager. */
function chosenPager(env: NodeJS.ProcessEnv): string | undefined {
  if (env.TERM === 'dumb' || env.CI) return undefined;
  const command = (env.VALS_PAGER ?? env.PAGER ?? defaultPager).trim();
  return command === '' || command === 'cat' ? undefined : command;
}
