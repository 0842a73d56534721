import { once } from 'node:events';
import { copyFileSync } from 'node:fs';
import { Agent, type IncomingHttpHeaders, type IncomingMessage, request } from 'node:http';
import { connect, type Socket } from 'node:net';
import { join } from 'node:path';
import { text as textOf } from 'node:stream/consumers';
import { inject } from 'vitest';
import { openStore, type ServiceOptions, type Store, startService } from '../../src/service/start-service.ts';
import type { Role } from '../../src/service/store/access.ts';
import { createPerson } from '../../src/service/store/people.ts';
import { createSpace, grant } from '../../src/service/store/spaces.ts';
import { atEnd, temporaryFolder } from '../support/program.ts';
import { placeOf } from './support/embedded-service.ts';
import { emptyStore, newDatabase } from './support/postgres.ts';
import { type SeedRun, seedRuns } from './support/seeds.ts';

interface Answer {
  status: number;
  headers: IncomingHttpHeaders;
  text: string;
  body: unknown;
}

export interface Val {
  id: string;
  name: string;
  code: string;
  codeHash: string;
  version: number;
  createdAt: string;
  updatedAt: string;
  versionAuthor: { id: string; username: string };
}

export interface List<Item = Record<string, unknown>> {
  data: Item[];
  links: { self: string; next?: string };
}

interface Question {
  body?: unknown;
  raw?: string | Buffer;
  headers?: Record<string, string>;
  token?: string | null;
}

interface NewVal {
  name: string;
  code: string;
  readme?: string;
  privacy?: string;
}

export const postgres = inject('postgres');

export async function newPlace(settings = ''): Promise<string> {
  if (postgres === undefined) return join(temporaryFolder(), 'store.db');
  const { address, drop } = await newDatabase(postgres, settings);
  atEnd(drop);
  return address;
}

const agent = new Agent({ keepAlive: true });

export type Client = ReturnType<typeof clientOf>;

interface ClientOptions {
  baseUrl: string;
  token?: string | undefined;
  /** The host that the service answers to, if it is not that of the base URL. */
  host?: string | undefined;
}

/** Requests to a service with one token, or without a token. */
export function clientOf({ baseUrl, token: ownToken, host }: ClientOptions) {
  async function ask(method: string, path: string, question: Question = {}): Promise<Answer> {
    const { body, raw, headers = {}, token = ownToken ?? null } = question;
    const payload = raw ?? (body === undefined ? undefined : JSON.stringify(body));
    const outgoing = request(new URL(path, baseUrl), {
      method,
      agent,
      headers: {
        ...(host !== undefined && { Host: host }),
        ...(token !== null && { Authorization: `Bearer ${token}` }),
        ...(payload !== undefined && {
          'Content-Type': 'application/json',
          'Content-Length': Buffer.byteLength(payload),
        }),
        ...headers,
      },
    });
    outgoing.end(payload);
    const [incoming]: IncomingMessage[] = await once(outgoing, 'response');
    if (!incoming) throw new Error('no response');
    const received = await textOf(incoming);
    const isJson = incoming.headers['content-type']?.includes('json') && received !== '';
    return {
      status: incoming.statusCode ?? 0,
      headers: incoming.headers,
      text: received,
      body: isJson ? JSON.parse(received) : undefined,
    };
  }

  async function get<Body = Val>(path: string): Promise<Body> {
    const { status, text, body } = await ask('GET', path);
    if (status !== 200) throw new Error(`GET ${path}: ${status} ${text}`);
    return body as Body;
  }

  return {
    baseUrl,
    token: ownToken ?? '',
    ask,
    get,
    idsFrom: async (path: string) => (await get<List>(path)).data.map(({ id }) => id),
    statusOf: async (...question: Parameters<typeof ask>) => (await ask(...question)).status,
    putVal: (name: string, code: string) => ask('PUT', '/v1/vals', { body: { name, code } }),
    async createVal(content: NewVal): Promise<Val> {
      const answer = await ask('POST', '/v1/vals', { body: content });
      if (answer.status !== 201) throw new Error(answer.text);
      return answer.body as Val;
    },
  };
}

/** A copy of a store without vals takes less than half the time of a new store. */
async function newStore(): Promise<string> {
  if (postgres) return newPlace(`TEMPLATE ${emptyStore}`);
  const file = join(temporaryFolder(), 'vals.db');
  copyFileSync(inject('emptyStore'), file);
  return file;
}

export type TemporaryService = Awaited<ReturnType<typeof temporaryService>>;

/** A shared database has no owner, so the tests make one. */
const localTokens = new Map<string, string>();

export async function temporaryService({
  runs,
  at: given,
  ...options
}: Partial<ServiceOptions> & { at?: string; runs?: SeedRun[] } = {}) {
  const at = given ?? (await newStore());
  if ('database' in placeOf(at)) {
    const added = addPerson({ at, baseUrl: '' }, 'local');
    await added.then(({ token }) => localTokens.set(at, token)).catch(() => {});
  }
  if (runs) await seedRuns(placeOf(at), runs, localTokens.get(at));
  const service = await startService({ ...placeOf(at), port: 0, ...options });
  atEnd(service.close);
  const token = service.token ?? localTokens.get(at) ?? '';
  const env = { VALS_BASE_URL: service.baseUrl, VALS_TOKEN: token };
  const host = options.network?.publicUrl?.host;
  const baseUrl = host === undefined ? service.baseUrl : `http://127.0.0.1:${service.port}`;
  return {
    ...clientOf({ baseUrl, token, host }),
    ...{ ...service, token, at, env },
    addPerson: (username: string) => addPerson({ at, baseUrl: service.baseUrl }, username),
    addSpace: (name: string, roles: Record<string, Role>) => addSpace(at, name, roles),
  };
}

export async function storeOf({ at }: { at: string }): Promise<Store> {
  const store = await openStore(placeOf(at));
  atEnd(store.close);
  return store;
}

export type Person = Awaited<ReturnType<typeof addPerson>>;

export async function addPerson({ at, baseUrl }: { at: string; baseUrl: string }, username: string) {
  const store = await openStore(placeOf(at));
  try {
    const added = await createPerson(store.db, username);
    if (!added) throw new Error(`${username} is taken`);
    return { ...clientOf({ baseUrl, token: added.token }), user: added.user };
  } finally {
    await store.close();
  }
}

async function addSpace(at: string, name: string, roles: Record<string, Role>) {
  const { db } = await storeOf({ at });
  const space = await createSpace(db, name);
  for (const [username, role] of Object.entries(roles)) await grant(db, name, username, role);
  return { id: '', username: name, ...space };
}

export const behindProxy = {
  host: '127.0.0.1',
  publicUrl: new URL('https://vals.example'),
};

export function browse(
  { port }: { port: number },
  path: string,
  { form, headers }: { form?: string; headers?: Record<string, string> } = {},
) {
  const browser = { Host: 'vals.example', Accept: 'text/html' };
  const ofForm = { Origin: 'https://vals.example', 'Content-Type': 'application/x-www-form-urlencoded' };
  return clientOf({ baseUrl: `http://127.0.0.1:${port}` }).ask(form === undefined ? 'GET' : 'POST', path, {
    raw: form,
    headers: { ...browser, ...(form !== undefined && ofForm), ...headers },
  });
}

export async function signedIn(service: { port: number }, token: string) {
  const { headers } = await browse(service, '/sign-in', { form: `token=${token}` });
  return headers['set-cookie']?.[0]?.split(';')[0] ?? '';
}

export const statusIn = (answer: string): number => Number(/^HTTP\/1\.1 (\d{3}) /.exec(answer)?.[1]);

export function sayTo(port: number, lines: string[]): Promise<string> {
  return speak(port, [...lines, 'Connection: close', '', ''].join('\r\n'));
}

export function speak(port: number, text: string): Promise<string> {
  return new Promise((resolve, reject) => {
    const socket = connect(port, '127.0.0.1');
    let answer = '';
    socket.setEncoding('utf8');
    socket.on('data', (chunk) => {
      answer += chunk;
    });
    socket.on('error', (error) => (answer ? resolve(answer) : reject(error)));
    socket.on('close', () => resolve(answer));
    socket.write(text);
  });
}

/** Sends the head of a PUT, and only the beginning of its body. */
export function beginPut(
  { port, token }: { port: number; token: string },
  sent: string,
  { headers = [] as string[] } = {},
): Socket {
  const socket = connect(port, '127.0.0.1').on('error', () => {});
  atEnd(async () => void socket.destroy());
  const lines = [
    'PUT /v1/vals HTTP/1.1',
    `Host: 127.0.0.1:${port}`,
    `Authorization: Bearer ${token}`,
    'Content-Type: application/json',
    'Content-Length: 100',
    ...headers,
  ];
  socket.write([...lines, '', sent].join('\r\n'));
  return socket;
}
