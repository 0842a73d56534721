import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import type { Reply, Seen } from '../../support/scripted-service.ts';

export const ada = { id: 'u1', username: 'ada' };
export const accepted: Reply = { body: ada };
export const forAll = (reply: Reply) => () => reply;
export const bearer = (requests: readonly Seen[]) => requests.map(({ headers }) => headers.authorization);

export const configFile = (home: string): string => join(home, '.config', 'vals', 'config.json');
export const storedText = (home: string): string => readFileSync(configFile(home), 'utf8');

export function writeConfig(home: string, content: string | Uint8Array): string {
  const file = configFile(home);
  mkdirSync(dirname(file), { recursive: true, mode: 0o700 });
  writeFileSync(file, content, { mode: 0o600 });
  return file;
}
