// A service with the 14 routes of the documented interface and nothing else, over HTTP, for the tests of all rooms:
//   const service = await startStrict();                                   the 14 routes alone
//   const service = await startStrict({ list: true, etag: true });         what a service may have besides: strict/switches.ts
//   const service = await startStrict({ instead: (seen) => seen.path === '/v1/me' ? { status: 502, body: '<html>' } : undefined });
//   (response, seen) => { service.handle(seen); response.destroy(); }      a reply: carried out, and the answer is lost
//   await run(['push', 'a.ts'], { env: service.env, cwd });                service.env of ada; service.addPerson('bob').env
//   service.edit('a', 'code'), val(name), vals(), code(name), codes(name), remove, rename: what others do and see
//   service.requests, service.lines(), service.writes(): what was asked, as `PUT /v1/vals`
//   service.switches.etag = true: a switch may be changed while it serves.  strictProcess({...}): in a process of its own.
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import type { AddressInfo } from 'node:net';
import { resolve } from 'node:path';
import { atEnd } from './program.ts';
import { type Seen, testToken } from './scripted-service.ts';
import { changesBehind, type StrictServer, strictServer } from './strict/server.ts';
import type { Person } from './strict/store.ts';
import type { Switches } from './strict/switches.ts';

type Env = { VALS_BASE_URL: string; VALS_TOKEN: string };

export interface StrictService
  extends Omit<StrictServer, 'server' | 'addPerson'>,
    ReturnType<typeof changesBehind> {
  switches: Switches;
  baseUrl: string;
  token: string;
  env: Env;
  addPerson(username: string): { person: Person; token: string; env: Env };
  /** The requests as `PUT /v1/vals`, without their queries. */
  lines(): string[];
  /** The requests that may change something, as `PUT /v1/vals`. */
  writes(): string[];
  end(): Promise<void>;
}

export async function startStrict(given: Switches = {}): Promise<StrictService> {
  const switches = { ...given };
  const { server, addPerson, ...rest } = strictServer(switches, testToken);
  await new Promise<void>((listening) => server.listen(0, '127.0.0.1', listening));
  const baseUrl = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  let ended: Promise<void> | undefined;
  const end = () => {
    ended ??= new Promise((done) => {
      server.close(() => done());
      server.closeAllConnections();
    });
    return ended;
  };
  atEnd(end);
  const envOf = (token: string): Env => ({ VALS_BASE_URL: baseUrl, VALS_TOKEN: token });
  const lineOf = ({ method, path }: Seen) => `${method} ${path.split('?')[0]}`;
  return {
    ...rest,
    ...changesBehind(rest.store, switches),
    switches,
    baseUrl,
    token: testToken,
    env: envOf(testToken),
    addPerson(username) {
      const added = addPerson(username);
      return { ...added, env: envOf(added.token) };
    },
    lines: () => rest.requests.map(lineOf),
    writes: () => rest.requests.filter(({ method }) => method !== 'GET').map(lineOf),
    end,
  };
}

/** The same in a process of its own, for tests that end the service or that block this process. */
export async function strictProcess(
  switches: Omit<Switches, 'instead' | 'now'> = {},
): Promise<{ baseUrl: string; env: Env; end(signal?: NodeJS.Signals): Promise<void> }> {
  const script = resolve('test/support/strict/process.ts');
  const child = spawn(process.execPath, ['--import', 'tsx', script, JSON.stringify(switches), testToken], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  const exited = once(child, 'exit');
  const end = async (signal: NodeJS.Signals = 'SIGKILL') => {
    child.kill(signal);
    await exited;
  };
  atEnd(() => end());
  const [port] = await once(child.stdout, 'data');
  const baseUrl = `http://127.0.0.1:${Number(String(port))}`;
  return { baseUrl, env: { VALS_BASE_URL: baseUrl, VALS_TOKEN: testToken }, end };
}
