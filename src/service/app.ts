// From a request to its reply.

import type { IncomingMessage, ServerResponse } from 'node:http';
import { accessOf, admit, notFoundAt } from './admit.ts';
import { isStoreBroken } from './database/database.ts';
import { checkHost, type Network } from './http/network.ts';
import { type InternalError, type Listener, unknownRoute } from './http/server.ts';
import { pageRoutes } from './pages/page-routes.ts';
import { failurePage, signInRoutes } from './pages/sign-in-routes.ts';
import { HttpProblem, httpProblemOf, problemReply } from './problem.ts';
import {
  factsOf,
  healthPath,
  json,
  type ServiceReply,
  type ServiceRequest,
  serviceRequestOf,
  wantsPage,
} from './request.ts';
import { openApiRoute } from './routes/openapi.ts';
import { patternOf, type Route, route, routeFinder } from './routes/route.ts';
import { tokenRoutes } from './routes/token-routes.ts';
import { userRoutes } from './routes/user-routes.ts';
import { valRoutes } from './routes/val-routes.ts';
import { ref } from './schemas.ts';
import type { Store } from './store/open-store.ts';

interface AppOptions {
  network: Network;
  onInternalError?(failure: InternalError): void;
}

const everyReply = { 'Cache-Control': 'no-store', 'X-Content-Type-Options': 'nosniff' };

export function createApp(store: Store, options: AppOptions): Listener {
  const { network, onInternalError } = options;
  const routes = [
    healthRoute(store),
    ...pageRoutes(store),
    ...signInRoutes(store),
    ...valRoutes(store.db),
    ...userRoutes(store),
    ...tokenRoutes(store),
  ];
  const findRoute = routeFinder([...routes, openApiRoute(routes)]);
  const underWay = new Map<string, number>();

  async function reply(request: ServiceRequest, outgoing: ServerResponse) {
    const { route, params, allowedMethods } = findRoute(request.method, request.path);
    request.isPage = route?.admits === 'page';
    if (route) {
      request.pattern = (request.space === undefined ? '' : '/@{space}') + patternOf(route.path);
      if (/\/vals\/:id\b/.test(route.path)) request.noted.val = params.id;
    }
    if (route?.admits === 'any host') return route.reply(request, params);
    request.origin = checkHost(request, network);
    if (route?.admits === 'form') return route.reply(request, params);
    await admit({ store, underWay }, request, route, outgoing);
    return route ? route.reply(request, params) : refuseUnknownRoute(request, allowedMethods);
  }

  async function replyOfFailure(request: ServiceRequest, error: Error): Promise<ServiceReply> {
    const problem = httpProblemOf(error);
    if (problem.status === 500 && !isStoreBroken(error)) {
      onInternalError?.({ method: request.method, route: request.pattern, error });
    }
    return wantsPage(request) ? failurePage(request, store, problem) : problemReply(problem);
  }

  return async (incoming, outgoing) => {
    const request = serviceRequestOf(incoming);
    const { headers, ...answered } = request
      ? await reply(request, outgoing)
          .catch((error) => replyOfFailure(request, error))
          .finally(() => request.onReply?.())
      : problemReply(new HttpProblem(400, 'The path of the request is not valid.'));
    await sendReply({ ...answered, headers: { ...everyReply, ...headers } }, incoming, outgoing);
    return request ? factsOf(request) : { route: unknownRoute };
  };
}

function refuseUnknownRoute(request: ServiceRequest, allowedMethods: string[]): never {
  const { method, url, isApi } = request;
  if (allowedMethods.length > 0) {
    const allowed = allowedMethods.join(', ');
    const detail = `${url.pathname} does not accept ${method}. Use one of: ${allowed}.`;
    throw new HttpProblem(405, detail, { headers: { Allow: allowed } });
  }
  if (isApi) accessOf(request);
  throw notFoundAt(url);
}

function healthRoute({ db }: Store): Route {
  return route('GET', healthPath, {
    admits: 'any host',
    summary: 'The health of the service',
    responses: { 200: ref('Health') },
    async reply() {
      await db.probe();
      return json({ status: 'ok' });
    },
  });
}

const silenceMs = 500;

async function sendReply(
  { status, headers = {}, body = '' }: ServiceReply,
  incoming: IncomingMessage,
  outgoing: ServerResponse,
): Promise<void> {
  if (outgoing.destroyed) return;
  for (const [name, value] of Object.entries(headers)) outgoing.setHeader(name, value);
  if (status !== 204) outgoing.setHeader('Content-Length', Buffer.byteLength(body));
  outgoing.writeHead(status);
  if (body === '') outgoing.flushHeaders();
  else outgoing.write(body);
  // Node itself skips the rest of a body, unless it closes the connection. A client that is still sending could then
  // lose the reply.
  if (!incoming.complete && !outgoing.shouldKeepAlive) await skipBody(incoming);
  outgoing.end();
}

async function skipBody(incoming: IncomingMessage): Promise<void> {
  await new Promise<void>((resolve) => {
    const silence = setTimeout(resolve, silenceMs);
    incoming.on('data', () => silence.refresh());
    incoming.once('close', () => {
      clearTimeout(silence);
      resolve();
    });
  });
}
