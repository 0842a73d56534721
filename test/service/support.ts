import { randomInt } from 'node:crypto';
import { mkdtempSync, rmSync } from 'node:fs';
import { Agent, type IncomingHttpHeaders, request } from 'node:http';
import { connect } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { inject } from 'vitest';
import { loopbackAddresses } from '../../src/lib/addresses.ts';
import {
  type EmbeddedService,
  openStore,
  type SeedData,
  type ServiceOptions,
  type Store,
  startService,
} from '../../src/service/index.ts';
import { loadSeed } from '../../src/service/store/seed.ts';
import { placeOf } from '../support/embedded-service.ts';
import { newDatabase } from '../support/postgres.ts';

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
  version: number;
  createdAt: string;
  updatedAt: string;
  versionAuthor: { id: string; username: string } | null;
}

export interface List<Item = Record<string, unknown>> {
  data: Item[];
  links: { self: string; prev?: string; next?: string };
}

export interface Caller {
  baseUrl: string;
  token?: string | undefined;
}

export interface Person extends Caller {
  token: string;
  user: { id: string; username: string };
}

interface Question {
  body?: unknown;
  raw?: string | Buffer;
  headers?: Record<string, string>;
  token?: string | null;
}

const cleanups: (() => unknown)[] = [];

export async function endAll(): Promise<void> {
  for (const cleanup of cleanups.splice(0).reverse()) await cleanup();
  agent.destroy();
}

export function temporaryFolder(): string {
  const folder = mkdtempSync(join(tmpdir(), 'vals-service-'));
  cleanups.push(() => rmSync(folder, { recursive: true, force: true }));
  return folder;
}

export const postgres = inject('postgres');

export async function newPlace(): Promise<string> {
  if (postgres === undefined) return join(temporaryFolder(), 'store.db');
  const { address, drop } = await newDatabase(postgres);
  cleanups.push(drop);
  return address;
}

export type TemporaryService = Omit<EmbeddedService, 'pageLink'> & {
  at: string;
  token: string;
  pageLink(): string;
};

const localTokens = new Map<string, string>();

export async function temporaryService({
  seed,
  at: given,
  ...options
}: Partial<ServiceOptions> & { at?: string } = {}): Promise<TemporaryService> {
  const at = given ?? (await newPlace());
  const isFile = 'file' in placeOf(at);
  if (!isFile) await addLocal(at, seed);
  const service = await startService({ ...placeOf(at), port: 0, ...(isFile && { seed }), ...options });
  cleanups.push(service.close);
  const token = service.token ?? localTokens.get(at) ?? '';
  const pageLink = () => service.pageLink() ?? '';
  return { ...service, token, pageLink, at };
}

export async function storeOf({ at }: { at: string }): Promise<Store> {
  const store = await openStore(placeOf(at));
  cleanups.push(store.close);
  return store;
}

export async function addPerson(
  { at, baseUrl }: { at: string; baseUrl: string },
  username: string,
): Promise<Person> {
  const store = await openStore(placeOf(at));
  try {
    const added = await store.users.add(username);
    if (!added) throw new Error(`${username} is taken`);
    return { baseUrl, ...added };
  } finally {
    await store.close();
  }
}

async function addLocal(at: string, seed: SeedData | undefined): Promise<void> {
  const store = await openStore(placeOf(at));
  try {
    const added = await store.users.add('local');
    if (added) localTokens.set(at, added.token);
    const user = await store.users.withToken(localTokens.get(at) ?? '');
    if (user && seed) await loadSeed(store, user, seed);
  } finally {
    await store.close();
  }
}

const agent = new Agent({ keepAlive: true });

export async function ask(
  caller: Caller,
  method: string,
  path: string,
  question: Question = {},
): Promise<Answer> {
  const answer = await askText(caller, method, path, question);
  return { ...answer, body: answer.text === '' ? undefined : JSON.parse(answer.text) };
}

export function askText(
  caller: Caller,
  method: string,
  path: string,
  question: Question = {},
): Promise<Omit<Answer, 'body'>> {
  const { body, raw, headers = {}, token = caller.token ?? null } = question;
  const payload = raw ?? (body === undefined ? undefined : JSON.stringify(body));
  return new Promise((resolve, reject) => {
    const outgoing = request(new URL(path, caller.baseUrl), {
      method,
      agent,
      headers: {
        ...(token !== null && { Authorization: `Bearer ${token}` }),
        ...(payload !== undefined && {
          'Content-Type': 'application/json',
          'Content-Length': Buffer.byteLength(payload),
        }),
        ...headers,
      },
    });
    outgoing.on('error', reject);
    outgoing.on('response', async (incoming) => {
      try {
        const chunks: Buffer[] = [];
        for await (const chunk of incoming) chunks.push(chunk);
        const text = Buffer.concat(chunks).toString();
        resolve({ status: incoming.statusCode ?? 0, headers: incoming.headers, text });
      } catch (error) {
        reject(error);
      }
    });
    outgoing.end(payload);
  });
}

export async function get<Body = Val>(caller: Caller, path: string): Promise<Body> {
  const { status, text, body } = await ask(caller, 'GET', path);
  if (status !== 200) throw new Error(`GET ${path}: ${status} ${text}`);
  return body as Body;
}

export const idsFrom = async (caller: Caller, path: string) =>
  (await get<List>(caller, path)).data.map(({ id }) => id);

export const statusOf = async (...question: Parameters<typeof askText>): Promise<number> =>
  (await askText(...question)).status;

export const putVal = (caller: Caller, name: string, code: string) =>
  ask(caller, 'PUT', '/v1/vals', { body: { name, code } });

export async function createVal(
  caller: Caller,
  content: { name: string; code: string; readme?: string; privacy?: string },
): Promise<Val> {
  const answer = await ask(caller, 'POST', '/v1/vals', { body: content });
  if (answer.status !== 201) throw new Error(answer.text);
  return answer.body as Val;
}

export const behindProxy = {
  host: '127.0.0.1',
  publicUrl: new URL('https://vals.example'),
  proxies: loopbackAddresses,
};

export function browse(
  { port }: { port: number },
  path: string,
  { form, headers }: { form?: string; headers?: Record<string, string> } = {},
) {
  const from = ['10', randomInt(256), randomInt(256), randomInt(256)].join('.');
  const browser = { Host: 'vals.example', Accept: 'text/html', 'X-Forwarded-For': from };
  const ofForm = { Origin: 'https://vals.example', 'Content-Type': 'application/x-www-form-urlencoded' };
  return askText({ baseUrl: `http://127.0.0.1:${port}` }, form === undefined ? 'GET' : 'POST', path, {
    raw: form,
    headers: { ...browser, ...(form !== undefined && ofForm), ...headers },
  });
}

export async function signedIn(service: { port: number }, token: string) {
  const { headers } = await browse(service, '/sign-in', { form: `token=${token}` });
  return headers['set-cookie']?.[0]?.split(';')[0] ?? '';
}

export const statusIn = (answer: string): number => Number(/^HTTP\/1\.1 (\d{3}) /.exec(answer)?.[1]);

export function sayTo(
  port: number,
  lines: string[],
  { body = '', from }: { body?: string | Buffer; from?: string } = {},
): Promise<string> {
  const head = [...lines, 'Connection: close', '', ''].join('\r\n');
  return speak(port, Buffer.concat([Buffer.from(head), Buffer.from(body)]), from);
}

export function speak(port: number, text: string | Buffer, localAddress?: string): Promise<string> {
  return new Promise((resolve, reject) => {
    const socket = connect({ port, host: '127.0.0.1', localAddress });
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
