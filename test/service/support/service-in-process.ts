import { copyFileSync } from 'node:fs';
import { join } from 'node:path';
import { inject } from 'vitest';
import { type SeedData, startService } from '../../../src/service/index.ts';
import { atEnd, temporaryFolder } from '../../support/program.ts';
import { seedStore } from './seeds.ts';

export interface RunningService {
  baseUrl: string;
  token: string;
  env: { VALS_BASE_URL: string; VALS_TOKEN: string };
  end(): Promise<unknown>;
}

/** A copy of a store without vals takes less than half the time of a new store. */
export function newStoreFile(folder = temporaryFolder()): string {
  const file = join(folder, 'vals.db');
  copyFileSync(inject('emptyStore'), file);
  return file;
}

export async function serviceInProcess(
  seed?: SeedData,
  file = newStoreFile(),
  port = 0,
): Promise<RunningService> {
  if (seed) await seedStore({ file }, seed);
  const { baseUrl, token = '', close } = await startService({ file, port });
  let ended: Promise<void> | undefined;
  const end = () => {
    ended ??= close();
    return ended;
  };
  atEnd(end);
  return { baseUrl, token, env: { VALS_BASE_URL: baseUrl, VALS_TOKEN: token }, end };
}
