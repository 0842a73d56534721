// The embedded service as a process of its own, as `vals serve` starts it.
import { once } from 'node:events';
import { join } from 'node:path';
import { execa } from 'execa';
import { onTestFinished } from 'vitest';
import { environment, program, temporaryFolder } from './program.ts';

export interface ServeProcess {
  baseUrl: string;
  token: string;
  env: { VALS_BASE_URL: string; VALS_TOKEN: string };
  /** Resolves when this stands on stderr, to all that stands there. */
  logged(text: string): Promise<string>;
  signal(signal: NodeJS.Signals): void;
  /** Ends it with a signal, where it was not sent one before, and resolves to its exit code, or to the signal where that killed it. */
  end(signal?: NodeJS.Signals): Promise<number | string>;
}

export async function embeddedService(
  options: { data?: string; database?: string; args?: string[] } = {},
): Promise<ServeProcess> {
  const home = temporaryFolder();
  const { database, data = join(home, 'vals.db') } = options;
  const place = database === undefined ? ['--data', data] : [];
  const args = [program, 'serve', '--port', '0', '--json', ...place, ...(options.args ?? [])];
  const child = execa(process.execPath, args, {
    env: environment(home, { VALS_DATABASE: database }),
    extendEnv: false,
    reject: false,
    forceKillAfterDelay: false,
  });
  onTestFinished(() => void child.kill('SIGKILL'));
  let log = '';
  child.stderr.on('data', (chunk) => {
    log += chunk;
  });
  const line = await new Promise<string>((resolve, reject) => {
    let text = '';
    child.stdout.on('data', (chunk) => {
      text += chunk;
      if (text.includes('\n')) resolve(text.slice(0, text.indexOf('\n')));
    });
    child.then(({ stderr }) => reject(new Error(`serve ended early: ${stderr}`)), reject);
  });
  const { baseUrl, token } = JSON.parse(line);
  return {
    baseUrl,
    token,
    env: { VALS_BASE_URL: baseUrl, VALS_TOKEN: token },
    async logged(text) {
      while (!log.includes(text)) await once(child.stderr, 'data');
      return log;
    },
    signal: (signal) => void child.kill(signal),
    async end(signal) {
      if (signal !== undefined) child.kill(signal);
      const result = await child;
      return result.exitCode ?? result.signal ?? 'unknown';
    },
  };
}
