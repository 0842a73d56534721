import type { Seen } from '../scripted-service.ts';
import { type Answer, absent, Refusal } from './answers.ts';
import { type Request, type Route, routesFor } from './routes.ts';
import type { Store } from './store.ts';
import type { Switches } from './switches.ts';

/** What the service answers to a request, which it carries out. */
export function handle(store: Store, switches: Switches, baseUrl: string, seen: Seen): Answer {
  try {
    return answered(store, switches, baseUrl, seen);
  } catch (error) {
    if (!(error instanceof Refusal)) throw error;
    return { status: error.status, headers: error.headers, body: { message: error.message } };
  }
}

function answered(store: Store, switches: Switches, baseUrl: string, seen: Seen): Answer {
  const url = new URL(seen.path, baseUrl);
  const fitting = routesFor(switches).flatMap((route) => {
    const ids = idsIn(route, url.pathname);
    return ids ? [{ route, ids }] : [];
  });
  const { authorization } = seen.headers;
  const person = store.people.get(/^Bearer (.+)$/.exec(authorization ?? '')?.[1] ?? '');
  const isOpen = seen.method === 'GET' && fitting.some(({ route }) => route.path === '/v1/vals/{val_id}');
  if (person === undefined && (authorization !== undefined || !isOpen)) {
    throw new Refusal(401, 'the token is missing or wrong', { 'www-authenticate': 'Bearer' });
  }
  if (fitting.length === 0) throw absent('route');
  const found = fitting.find(({ route }) => route.method === seen.method);
  if (found === undefined) {
    const allow = fitting.map(({ route }) => route.method).join(', ');
    throw new Refusal(405, `${seen.method} is not allowed`, { allow });
  }
  const ifMatch = seen.headers['if-match'];
  const request: Request = {
    ...{ store, switches, person, url, ids: found.ids, ifMatch },
    body: bodyOf(seen),
  };
  return found.route.answer(request);
}

function idsIn({ path }: Route, asked: string): Record<string, string> | undefined {
  const [wanted, given] = [path.split('/'), asked.split('/')];
  if (wanted.length !== given.length) return undefined;
  const ids: Record<string, string> = {};
  for (const [index, part] of wanted.entries()) {
    const word = decodeURIComponent(given[index] ?? '');
    if (part.startsWith('{') && word !== '') ids[part.slice(1, -1)] = word;
    else if (part !== word) return undefined;
  }
  return ids;
}

function bodyOf({ method, headers, body }: Seen): Record<string, unknown> {
  if (method !== 'POST' && method !== 'PUT') {
    if (body !== '') throw new Refusal(400, `${method} takes no body`);
    return {};
  }
  if (!/^application\/json(?:;|$)/.test(headers['content-type'] ?? '')) {
    throw new Refusal(415, 'the body must be application/json');
  }
  return JSON.parse(body);
}
