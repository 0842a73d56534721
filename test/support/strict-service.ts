// A service with the 14 routes of the documented interface and nothing else, over HTTP, for the tests of all rooms:
//   const service = await startStrict();                                   the 14 routes with the documented fields alone
//   const service = await startStrict({ list: true, etag: true });         what a service may have besides: strict/switches.ts
//   const service = await startStrict({ instead: (seen) => seen.path === '/v1/me' ? { status: 502, body: '<html>' } : undefined });
//   (response, seen) => { service.handle(seen); response.destroy(); }      a reply: carried out, and the answer is lost
//   await run(['push', 'a.ts'], { env: service.env, cwd });                service.env of ada; service.addPerson('bob').env
//   service.edit('a', 'code'), val(name), vals(), code(name), codes(name), remove, rename: what others do and see
//   service.requests, service.writes(): what was asked, as `PUT /v1/vals`
//   service.switches.etag = true: a switch may be changed while it serves.
import { randomUUID } from 'node:crypto';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { atEnd } from './program.ts';
import { type Reply, type Seen, sendReply, testToken } from './scripted-service.ts';
import type { Answer } from './strict/answers.ts';
import { handle } from './strict/handle.ts';
import {
  addVersion,
  createVal,
  currentOf,
  newStore,
  type Person,
  type Val,
  valNamed,
} from './strict/store.ts';
import type { Switches } from './strict/switches.ts';

type Env = { VALS_BASE_URL: string; VALS_TOKEN: string };

export interface StrictService extends ReturnType<typeof changesBehind> {
  switches: Switches;
  baseUrl: string;
  token: string;
  env: Env;
  requests: Seen[];
  /** Carries a request out, and returns what the service would answer. */
  handle(seen: Seen): Answer;
  addPerson(username: string): { person: Person; token: string; env: Env };
  /** The requests that may change something, as `PUT /v1/vals`, without their queries. */
  writes(): string[];
  end(): Promise<void>;
}

export async function startStrict(given: Switches = {}): Promise<StrictService> {
  const switches = { ...given };
  const store = newStore();
  const requests: Seen[] = [];
  let baseUrl = '';
  const carryOut = (seen: Seen) => handle(store, switches, baseUrl, seen);
  const server = createServer((request, response) => {
    const chunks: Buffer[] = [];
    request.on('data', (chunk) => chunks.push(chunk));
    request.on('end', () => {
      const { method = '', url: path = '', headers } = request;
      const seen: Seen = { method, path, headers, body: Buffer.concat(chunks).toString() };
      requests.push(seen);
      const reply: Reply = switches.instead?.(seen) ?? carryOut(seen);
      sendReply(response, seen, reply);
    });
  });
  await new Promise<void>((listening) => server.listen(0, '127.0.0.1', listening));
  baseUrl = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  let ended: Promise<void> | undefined;
  const end = () => {
    ended ??= new Promise((done) => {
      server.close(() => done());
      server.closeAllConnections();
    });
    return ended;
  };
  atEnd(end);
  const addPerson = (username: string, token: string = randomUUID()) => {
    const person = { id: randomUUID(), username };
    store.people.set(token, person);
    return { person, token, env: { VALS_BASE_URL: baseUrl, VALS_TOKEN: token } };
  };
  const { person: ada, token, env } = addPerson('ada', testToken);
  return {
    ...changesBehind(store, switches, ada),
    ...{ switches, baseUrl, token, env, requests, addPerson, end },
    handle: carryOut,
    writes: () =>
      requests
        .filter(({ method }) => method !== 'GET')
        .map(({ method, path }) => `${method} ${path.split('?')[0]}`),
  };
}

/** Changes that somebody else makes, without a request. */
function changesBehind(store: ReturnType<typeof newStore>, switches: Switches, ada: Person) {
  const named = (name: string): Val => {
    const val = valNamed(store, ada, name);
    if (val === undefined) throw new Error(`The service has no val named ${name}.`);
    return val;
  };
  return {
    ada: () => ada,
    /** Makes the val or gives it another version. */
    edit(name: string, code: string, { owner = ada, id }: { owner?: Person; id?: string } = {}): Val {
      const val = valNamed(store, owner, name);
      if (val === undefined) return createVal(store, switches, owner, { id, name, code });
      addVersion(store, switches, val, code);
      return val;
    },
    val: named,
    vals: (): Val[] => [...store.vals.values()],
    code: (name: string): string => currentOf(named(name)).code,
    /** The codes of the versions, oldest first. */
    codes: (name: string): string[] => named(name).versions.map(({ code }) => code),
    remove: (name: string): void => void store.vals.delete(named(name).id),
    rename(name: string, to: string): void {
      const val = named(name);
      val.name = to;
      val.state += 1;
    },
  };
}
