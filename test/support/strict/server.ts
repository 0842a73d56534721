import { randomUUID } from 'node:crypto';
import { createServer, type Server } from 'node:http';
import type { Reply, Seen } from '../scripted-service.ts';
import type { Answer } from './answers.ts';
import { handle } from './handle.ts';
import {
  addVersion,
  createVal,
  currentOf,
  newStore,
  type Person,
  type Store,
  type Val,
  valNamed,
  type Write,
} from './store.ts';
import type { Switches } from './switches.ts';

export interface StrictServer {
  server: Server;
  store: Store;
  requests: Seen[];
  addPerson(username: string, token?: string): { person: Person; token: string };
  /** Carries a request out, and returns what the service would answer. */
  handle(seen: Seen): Answer;
}

/** The server without a port. It knows nothing of vitest, so that a process of its own can use it, too. */
export function strictServer(switches: Switches, token: string): StrictServer {
  const store = newStore(switches);
  const requests: Seen[] = [];
  const addPerson = (username: string, token: string = randomUUID()) => {
    const person = { id: randomUUID(), username };
    store.people.set(token, person);
    return { person, token };
  };
  addPerson('ada', token);
  const carryOut = (seen: Seen) =>
    handle(store, switches, `http://${seen.headers.host ?? 'localhost'}`, seen);
  const server = createServer((request, response) => {
    const chunks: Buffer[] = [];
    request.on('data', (chunk) => chunks.push(chunk));
    request.on('end', () => {
      const { method = '', url: path = '', headers } = request;
      const seen: Seen = { method, path, headers, body: Buffer.concat(chunks).toString() };
      requests.push(seen);
      const reply: Reply = switches.instead?.(seen) ?? carryOut(seen);
      if (typeof reply === 'function') return reply(response, seen);
      const { status = 200, headers: more = {}, body } = reply;
      const type: Record<string, string> = body === undefined ? {} : { 'content-type': 'application/json' };
      response.writeHead(status, { ...type, ...more });
      response.end(typeof body === 'string' || body === undefined ? body : JSON.stringify(body));
    });
  });
  return { server, store, requests, addPerson, handle: carryOut };
}

/** Changes that somebody else makes, without a request. */
export function changesBehind(store: Store, switches: Switches) {
  const ada = () => [...store.people.values()][0] as Person;
  const named = (name: string, owner = ada()): Val => {
    const val = valNamed(store, owner, name);
    if (val === undefined) throw new Error(`The service has no val named ${name}.`);
    return val;
  };
  return {
    ada,
    /** Makes the val or gives it another version. */
    edit(name: string, code: string, { owner = ada(), author = owner }: Partial<Write> = {}): Val {
      const by = { owner, author };
      const val = valNamed(store, owner, name);
      if (val === undefined) return createVal(store, switches, by, { name, code });
      addVersion(store, switches, by, val, code);
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
