import { copyFileSync } from 'node:fs';
import type { ServerResponse } from 'node:http';
import { join } from 'node:path';
import { inject } from 'vitest';
import { type SeedData, startService } from '../../../src/service/index.ts';
import { atEnd, temporaryFolder } from '../../support/program.ts';
import {
  type Reply,
  type ScriptedService,
  type Seen,
  scriptedService,
} from '../../support/scripted-service.ts';
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

export async function passOn(
  { baseUrl }: Pick<RunningService, 'baseUrl'>,
  response: ServerResponse,
  { method, path, headers, body }: Seen,
): Promise<void> {
  const sent = { method, headers: passedOn(Object.entries(headers)) };
  const answer = await fetch(`${baseUrl}${path}`, body === '' ? sent : { ...sent, body });
  response.writeHead(answer.status, passedOn(answer.headers)).end(await answer.text());
}

/** Passes requests on to the service, except those for which `instead` returns a reply. */
export async function frontOf(
  service: Pick<RunningService, 'baseUrl' | 'token'>,
  instead: (seen: Seen) => Reply | undefined,
): Promise<ScriptedService> {
  const passOnToService: Reply = (response, seen) => void passOn(service, response, seen);
  const front = await scriptedService([], (seen) => instead(seen) ?? passOnToService);
  return { ...front, env: { ...front.env, VALS_TOKEN: service.token } };
}

const ofOneConnection = new Set(['host', 'connection', 'keep-alive', 'content-length']);

const passedOn = (headers: Iterable<[string, unknown]>): Record<string, string> =>
  Object.fromEntries(
    [...headers].filter(([name]) => !ofOneConnection.has(name)).map(([name, value]) => [name, `${value}`]),
  );
