import { once } from 'node:events';
import { join } from 'node:path';
import { execa } from 'execa';
import { onTestFinished } from 'vitest';
import type { StoreLocation } from '../../src/service/index.ts';
import { environment, program, temporaryFolder } from './program.ts';

export const placeOf = (at: string): StoreLocation =>
  /^postgres:/.test(at) ? { database: at } : { file: at };

export interface ServeProcess {
  pid: number | undefined;
  baseUrl: string;
  token: string;
  env: { VALS_BASE_URL: string; VALS_TOKEN: string };
  printed: { stdout: string; stderr: string };
  logged(text: string): Promise<string>;
  signal(signal: NodeJS.Signals): void;
  end(signal?: NodeJS.Signals): Promise<number | string>;
}

interface ServeOptions {
  at?: string;
  args?: string[];
  env?: Record<string, string>;
  json?: boolean;
  unreadLog?: boolean;
}

export async function embeddedService(options: ServeOptions = {}): Promise<ServeProcess> {
  const home = temporaryFolder();
  const { at = join(home, 'vals.db'), args = [], json = true } = options;
  const place = placeOf(at);
  const words = [
    '--port',
    '0',
    ...(json ? ['--json'] : []),
    ...('file' in place && at !== '' ? ['--data', at] : []),
  ];
  const child = execa(process.execPath, [program, 'serve', ...words, ...args], {
    env: environment(home, { ...('database' in place && { VALS_DATABASE: at }), ...options.env }),
    extendEnv: false,
    reject: false,
    forceKillAfterDelay: false,
    buffer: { stderr: !options.unreadLog },
  });
  onTestFinished(() => void child.kill('SIGKILL'));
  const printed = { stdout: '', stderr: '' };
  child.stderr.on('data', (chunk) => {
    printed.stderr += chunk;
  });
  if (options.unreadLog) child.stderr.pause();
  await new Promise<void>((resolve, reject) => {
    child.stdout.on('data', (chunk) => {
      printed.stdout += chunk;
      if (printed.stdout.includes('\n')) resolve();
    });
    child.then(({ stderr }) => reject(new Error(`serve ended early: ${stderr}`)), reject);
  });
  const [line = ''] = printed.stdout.split('\n');
  const { baseUrl, token } = json ? JSON.parse(line) : { baseUrl: line, token: '' };
  return {
    pid: child.pid,
    baseUrl,
    token,
    env: { VALS_BASE_URL: baseUrl, VALS_TOKEN: token },
    printed,
    async logged(text) {
      while (!printed.stderr.includes(text)) await once(child.stderr, 'data');
      return printed.stderr;
    },
    signal: (signal) => void child.kill(signal),
    async end(signal) {
      if (signal !== undefined) child.kill(signal);
      const result = await child;
      return result.exitCode ?? result.signal ?? 'unknown';
    },
  };
}
