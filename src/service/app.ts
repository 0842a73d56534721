import type { ServerResponse } from 'node:http';
import { admit, callerOf, nothingAt } from './admit.ts';
import { isStoreBroken } from './database/database.ts';
import { checkHost, type Network } from './http/network.ts';
import { createRateLimit, type Limits } from './http/rate-limit.ts';
import { pageRoutes } from './pages/page-routes.ts';
import { failurePage, signInRoutes } from './pages/sign-in-routes.ts';
import { HttpProblem, problemOf, problemReply } from './problem.ts';
import {
  healthPath,
  isOfApi,
  json,
  type ServiceReply,
  type ServiceRequest,
  splitSpace,
  wantsPage,
} from './request.ts';
import { openApiRoute } from './routes/openapi.ts';
import { patternOf, type Route, route, routeFinder } from './routes/route.ts';
import { ref } from './routes/schemas.ts';
import { tokenRoutes } from './routes/token-routes.ts';
import { userRoutes } from './routes/user-routes.ts';
import { valRoutes } from './routes/val-routes.ts';
import type { Store } from './store/open-store.ts';

export interface InternalError {
  method: string;
  route: string;
  error: Error;
}

interface AppOptions {
  network: Network;
  limits?: Limits;
  maxVals?: number;
  onInternalError?(failure: InternalError): void;
}

export type App = (
  request: Pick<ServiceRequest, 'incoming' | 'method'> & {
    url: URL | undefined;
    onRoute(route: string): void;
  },
  outgoing: ServerResponse,
) => Promise<ServiceReply>;

const everyReply = { 'Cache-Control': 'no-store', 'X-Content-Type-Options': 'nosniff' };

export function createApp(store: Store, options: AppOptions): App {
  const { network, limits, maxVals, onInternalError } = options;
  const routes = [
    healthRoute(store),
    ...pageRoutes(store),
    ...signInRoutes(store),
    ...valRoutes(store.db, { maxVals }),
    ...userRoutes(store),
    ...tokenRoutes(store),
  ];
  const findRoute = routeFinder([...routes, openApiRoute(routes)]);
  const rateLimit = limits && createRateLimit(limits, () => performance.now());

  async function reply(request: ServiceRequest, outgoing: ServerResponse, onRoute: (route: string) => void) {
    const { route, params, allowedMethods } = findRoute(request.method, request.path);
    request.isPage = route?.access === 'page';
    if (route) onRoute((request.space === undefined ? '' : '/@{space}') + patternOf(route.path));
    if (route?.access === 'any host') return route.reply(request, params);
    request.origin = checkHost(request, network);
    if (route?.access === 'form') return route.reply(request, params);
    await admit({ store, rateLimit }, request, route, outgoing);
    return route ? route.reply(request, params) : refuseUnknownRoute(request, allowedMethods);
  }

  async function replyOfFailure(request: ServiceRequest, error: Error, route: string): Promise<ServiceReply> {
    const problem = problemOf(error);
    if (problem.status === 500 && !isStoreBroken(error)) {
      onInternalError?.({ method: request.method, route, error });
    }
    return wantsPage(request) ? failurePage(request, store, problem) : problemReply(problem);
  }

  return async ({ url, onRoute, ...given }, outgoing) => {
    if (!url) return problemReply(new HttpProblem(400, 'The path of the request is not valid.'));
    const { space, path } = splitSpace(url.pathname);
    const request: ServiceRequest = {
      ...given,
      url,
      space,
      path,
      isApi: isOfApi(path),
      origin: url.origin,
      hasLinks: !network.endsWithCommand,
      caller: undefined,
    };
    let route = 'none';
    const noteRoute = (found: string) => {
      route = found;
      onRoute(found);
    };
    const answered = await reply(request, outgoing, noteRoute)
      .catch((error) => replyOfFailure(request, error, route))
      .finally(() => request.onReply?.());
    return { ...answered, headers: { ...everyReply, ...answered.headers } };
  };
}

function refuseUnknownRoute(request: ServiceRequest, allowedMethods: string[]): never {
  const { method, url, isApi } = request;
  if (allowedMethods.length > 0) {
    const allowed = allowedMethods.join(', ');
    const detail = `${url.pathname} does not accept ${method}. Use one of: ${allowed}.`;
    throw new HttpProblem(405, detail, { headers: { Allow: allowed } });
  }
  if (isApi) callerOf(request);
  throw nothingAt(url);
}

function healthRoute({ db }: Store): Route {
  return route('GET', healthPath, {
    access: 'any host',
    summary: 'The health of the service',
    responses: { 200: ref('Health') },
    async reply() {
      await db.probe();
      return json({ status: 'ok' });
    },
  });
}
