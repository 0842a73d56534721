// What is longer than the screen, through the user's pager, as git does it.
import { spawn } from 'node:child_process';

/** Resolves once the reader is through; to false where there is no pager, so that nothing was shown. */
export type Pager = (text: string) => Promise<boolean>;

export interface PagerOptions {
  env: NodeJS.ProcessEnv;
  /** Ends the pager when the process is told to end; Ctrl-C is the pager's own. */
  signal: AbortSignal;
}

export async function page(text: string, { env, signal }: PagerOptions): Promise<boolean> {
  const command = chosenPager(env);
  if (command === undefined) return false;
  const options = {
    stdio: ['pipe', 'inherit', 'inherit'] as ['pipe', 'inherit', 'inherit'],
    env: { ...env, LESS: env.LESS ?? 'FRX', LV: env.LV ?? '-c' },
  };
  // One that the user chose may come with flags; ours may be missing without a word of the shell.
  const child =
    command === usual ? spawn('less', ['-FRX'], options) : spawn(command, { ...options, shell: true });
  const end = () => child.kill();
  signal.addEventListener('abort', end);
  // A reader that leaves early has seen enough.
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

const usual = 'less -FRX';

/** What a shell ends with. */
const notFound = 127;
const notExecutable = 126;

/** None where it is empty or `cat`, where the terminal can do nothing, and in CI, where no person could leave it. */
function chosenPager(env: NodeJS.ProcessEnv): string | undefined {
  if (env.TERM === 'dumb' || env.CI) return undefined;
  const command = (env.VALS_PAGER ?? env.PAGER ?? usual).trim();
  return command === '' || command === 'cat' ? undefined : command;
}
