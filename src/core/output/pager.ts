import { spawn } from 'node:child_process';

/** Resolves to false if no pager could show the text. */
export type Pager = (text: string) => Promise<boolean>;

export interface PagerOptions {
  env: NodeJS.ProcessEnv;
  /** Ctrl-C must not abort this signal, because Ctrl-C is a key of the pager. */
  signal: AbortSignal;
}

const defaultPager = 'less -FRX';

const notFound = 127;
const notExecutable = 126;

export async function showInPager(text: string, { env, signal }: PagerOptions): Promise<boolean> {
  const command = chosenPager(env);
  if (command === undefined) return false;
  const options = {
    stdio: ['pipe', 'inherit', 'inherit'] as ['pipe', 'inherit', 'inherit'],
    env: { ...env, LESS: env.LESS ?? 'FRX', LV: env.LV ?? '-c' },
  };
  const child =
    command === defaultPager ? spawn('less', ['-FRX'], options) : spawn(command, { ...options, shell: true });
  const end = () => child.kill();
  signal.addEventListener('abort', end);
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

function chosenPager(env: NodeJS.ProcessEnv): string | undefined {
  if (env.TERM === 'dumb' || env.CI) return undefined;
  const command = (env.VALS_PAGER ?? env.PAGER ?? defaultPager).trim();
  return command === '' || command === 'cat' ? undefined : command;
}
