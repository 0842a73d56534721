import type { IncomingMessage, ServerResponse } from 'node:http';
import { createKeyedSlots } from '../lib/slots.ts';
import { checkBodyHeaders } from './body.ts';
import { isOrphaned, isStoreBroken } from './database/database.ts';
import {
  checkMembership,
  identify,
  nothingAt,
  refuseWebPages,
  requireUser,
  tooManyRequests,
} from './guard.ts';
import { checkHost, type Network } from './http/network.ts';
import { createRateLimit, type Limits } from './http/rate-limit.ts';
import { mostReadsOfOnePerson } from './limits.ts';
import type { PageAccess } from './pages/page-access.ts';
import { pageRoutes } from './pages/page-routes.ts';
import { Problem } from './problem.ts';
import { problemReply } from './problem-reply.ts';
import { healthPath, isForBrowser, json, type Reply, type ServiceRequest, splitSpace } from './request.ts';
import { openApiRoute } from './routes/openapi.ts';
import { patternOf, type Route, route, routeFinder } from './routes/route.ts';
import { ref } from './routes/schemas.ts';
import { userRoutes } from './routes/user-routes.ts';
import { valRoutes } from './routes/val-routes.ts';
import type { Store } from './store/store.ts';

interface AppOptions {
  network: Network;
  limits?: Limits;
  isDraining?(): boolean;
  pageAccess: PageAccess;
  onRefusedVisit?(): void;
  onRoute?(incoming: IncomingMessage, pattern: string): void;
  onStoreFailure?(error: Error): void;
  onInternalError?(incoming: IncomingMessage, error: Error): void;
}

export type App = (
  request: Pick<ServiceRequest, 'incoming' | 'method'> & { url: URL | undefined },
  outgoing: ServerResponse,
) => Promise<Reply>;

const everyReply = { 'Cache-Control': 'no-store', 'X-Content-Type-Options': 'nosniff' };
const withoutToken = 'without a token';

export function createApp(store: Store, options: AppOptions): App {
  const { network, limits, onStoreFailure, onInternalError } = options;
  const routes = [
    healthRoute(store, options),
    ...pageRoutes(store, options),
    ...valRoutes(store),
    ...userRoutes(store),
  ];
  const findRoute = routeFinder([...routes, openApiRoute(routes)]);
  const rateLimit = limits && createRateLimit(limits, () => performance.now());
  const readSlots = createKeyedSlots(mostReadsOfOnePerson);

  /** A write goes on after its client disconnected, so it counts until both have ended. */
  async function counted(person: string, outgoing: ServerResponse, work: () => Promise<Reply>) {
    const leave = rateLimit?.enter(person);
    if (rateLimit && !leave) throw tooManyRequests();
    return work().finally(() => {
      if (!leave) return;
      if (outgoing.destroyed) leave();
      else outgoing.once('close', leave);
    });
  }

  async function reply(request: ServiceRequest, outgoing: ServerResponse): Promise<Reply> {
    const { route, params, allowedMethods } = findRoute(request.method, request.path);
    if (route) {
      const below = request.space === undefined ? '' : '/@{space}';
      options.onRoute?.(request.incoming, below + patternOf(route.path));
    }
    if (route?.access === 'any host') return route.reply(request, params);
    request.origin = checkHost(request, network);
    if (route?.access === 'form') return route.reply(request, params);
    refuseWebPages(request);
    checkBodyHeaders(request);
    const identified = await identify(request, store);
    request.actor = identified?.actor;
    request.user = identified?.principal;
    const replyNow = async () => {
      checkMembership(request);
      if (!route) return refuseUnknownRoute(request, allowedMethods);
      if (route.access === 'token') requireUser(request);
      const replyOfRoute = () => route.reply(request, params);
      return route.method === 'GET'
        ? readSlots(request.actor?.id ?? withoutToken).run(replyOfRoute)
        : replyOfRoute();
    };
    return request.actor ? counted(request.actor.id, outgoing, replyNow) : replyNow();
  }

  return async ({ url, ...given }, outgoing) => {
    if (!url)
      return problemReply(new Problem(400, 'The path or the Host header of the request is not valid.'));
    const request: ServiceRequest = {
      ...given,
      url,
      ...splitSpace(url.pathname),
      origin: url.origin,
      hasLinks: !network.endsWithCommand,
      user: undefined,
      actor: undefined,
    };
    const answered = await reply(request, outgoing).catch((error) => {
      if (isStoreBroken(error)) onStoreFailure?.(error);
      const isSpaceRemoved = request.space !== undefined && isOrphaned(error);
      const given = problemReply(isSpaceRemoved ? nothingAt(request.url) : error, isForBrowser(request));
      if (given.status === 500 && !isStoreBroken(error)) onInternalError?.(request.incoming, error);
      return given;
    });
    return { ...answered, headers: { ...everyReply, ...answered.headers } };
  };
}

function refuseUnknownRoute(request: ServiceRequest, allowedMethods: string[]): never {
  const { method, url, path } = request;
  if (allowedMethods.length > 0) {
    const allowed = allowedMethods.join(', ');
    const detail = `${url.pathname} does not accept ${method}. Use one of: ${allowed}.`;
    throw new Problem(405, detail, { headers: { Allow: allowed } });
  }
  if (path.startsWith('/v1/')) requireUser(request);
  throw nothingAt(url);
}

function healthRoute(store: Store, { isDraining }: AppOptions): Route {
  return route('GET', healthPath, {
    id: 'getHealth',
    access: 'any host',
    summary: 'The health of the service',
    responses: { 200: ref('Health') },
    async reply() {
      if (isDraining?.()) return json({ status: 'draining' }, 503);
      await store.probe();
      return json({ status: 'ok' });
    },
  });
}
