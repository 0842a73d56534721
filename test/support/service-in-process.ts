import { join } from 'node:path';
import { onTestFinished } from 'vitest';
import { parseSeed, startService } from '../../src/service/index.ts';
import { temporaryFolder } from './program.ts';

export interface RunningService {
  baseUrl: string;
  token: string;
  env: { VALS_BASE_URL: string; VALS_TOKEN: string };
  end(): Promise<unknown>;
}

export async function serviceInProcess(
  seed?: object,
  file = join(temporaryFolder(), 'vals.db'),
): Promise<RunningService> {
  const {
    baseUrl,
    token = '',
    close,
  } = await startService({
    file,
    port: 0,
    ...(seed && { seed: parseSeed(JSON.stringify(seed)) }),
  });
  let ended: Promise<void> | undefined;
  const end = () => {
    ended ??= close();
    return ended;
  };
  onTestFinished(end);
  return { baseUrl, token, env: { VALS_BASE_URL: baseUrl, VALS_TOKEN: token }, end };
}
