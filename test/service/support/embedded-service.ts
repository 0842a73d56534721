import { once } from 'node:events';
import { join } from 'node:path';
import type { StoreLocation } from '../../../src/service/start-service.ts';
import { startProcess, temporaryFolder } from '../../support/program.ts';

export const placeOf = (at: string): StoreLocation =>
  /^postgres:/.test(at) ? { database: at } : { file: at };

export type ServeProcess = Awaited<ReturnType<typeof embeddedService>>;

interface ServeOptions {
  at?: string;
  args?: string[];
  env?: Record<string, string>;
  json?: boolean;
  unreadLog?: boolean;
}

export async function embeddedService(options: ServeOptions = {}) {
  const { at = join(temporaryFolder(), 'vals.db'), args = [], json = true } = options;
  const place = placeOf(at);
  const words = [...(json ? ['--json'] : []), ...('file' in place && at !== '' ? ['--data', at] : [])];
  const { child, ended, text } = startProcess(
    ['serve', '--port', '0', ...words, ...args],
    { env: { ...('database' in place && { VALS_DATABASE: at }), ...options.env } },
    options.unreadLog ? 'stderr' : undefined,
  );
  const heard = (name: 'stdout' | 'stderr') => once(child[name] ?? child, 'data');
  const early = ended.then(({ stderr }) => Promise.reject(new Error(`serve ended early: ${stderr}`)));
  while (!text.stdout.includes('\n')) await Promise.race([heard('stdout'), early]);
  early.catch(() => {});
  const [line = ''] = text.stdout.split('\n');
  const { baseUrl, token }: { baseUrl: string; token: string } = json
    ? JSON.parse(line)
    : { baseUrl: line, token: '' };
  return {
    baseUrl,
    token,
    env: { VALS_BASE_URL: baseUrl, VALS_TOKEN: token },
    printed: text,
    async logged(wanted: string) {
      while (!text.stderr.includes(wanted)) await heard('stderr');
      return text.stderr;
    },
    signal: (signal: NodeJS.Signals) => void child.kill(signal),
    async end(signal?: NodeJS.Signals) {
      if (signal !== undefined) child.kill(signal);
      const end = await ended;
      return end.exit ?? end.signal ?? 'unknown';
    },
  };
}
