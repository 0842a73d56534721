import type { IncomingMessage, ServerResponse } from 'node:http';
import { setImmediate, setTimeout as sleep } from 'node:timers/promises';
import type { Slots } from '../lib/slots.ts';
import { createCallerSlots } from './caller-slots.ts';
import { isOrphaned, isStoreBroken } from './database/database.ts';
import {
  addressOf,
  callerIsGone,
  callerKey,
  checkBodyHeaders,
  checkHost,
  checkMembership,
  discardBody,
  identify,
  nothingAt,
  refuseWebPages,
  requireUser,
  tooManyRequests,
} from './guard.ts';
import { createMemoryLimit } from './http/memory-limit.ts';
import type { Network } from './http/network.ts';
import { createPace } from './http/pace.ts';
import { createRateLimit, type Limits } from './http/rate-limit.ts';
import type { PageAccess } from './pages/page-access.ts';
import { pageRoutes } from './pages/page-routes.ts';
import { Problem } from './problem.ts';
import { problemAnswer } from './problem-answer.ts';
import { type Answer, healthPath, isForBrowser, json, type ServiceRequest, splitSpace } from './request.ts';
import { openApiRoute } from './routes/openapi.ts';
import { patternOf, type Route, route, routeFinder } from './routes/route.ts';
import { ref } from './routes/schemas.ts';
import { searchRoute } from './routes/search-route.ts';
import { userRoutes } from './routes/user-routes.ts';
import { valRoutes } from './routes/val-routes.ts';
import type { Store } from './store/store.ts';

export interface AppOptions {
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
  request: Pick<ServiceRequest, 'incoming' | 'method' | 'pieces'> & { url: URL | undefined },
  outgoing: ServerResponse,
) => Promise<Answer>;

type OnEnd = (release: () => void) => void;

const everyAnswer = { 'Cache-Control': 'no-store', 'X-Content-Type-Options': 'nosniff' };
const identityLifetimeMs = 100;
const mostReadsOfOneCaller = 3;
const bytesPerTurn = 16 * 1024;
const mostDeletionsOfOneCaller = 3;
const mebibyte = 1024 * 1024;
const memoryBytes = {
  perCaller: 64 * mebibyte,
  total: 256 * mebibyte,
  small: 16 * mebibyte,
  kept: 128 * mebibyte,
};
const storedBytesRate = {
  perSecond: 2 * mebibyte,
  burst: 32 * mebibyte,
  inFlight: Number.POSITIVE_INFINITY,
};
const longestWaitSeconds = 5;

export function createApp(store: Store, options: AppOptions): App {
  const { network, limits, onStoreFailure, onInternalError } = options;
  const now = () => performance.now();
  const readSlots = createCallerSlots(mostReadsOfOneCaller);
  const routes = [
    healthRoute(store, options),
    ...pageRoutes(store, options, readSlots),
    ...valRoutes(store),
    ...userRoutes(store),
    searchRoute(store),
  ];
  const findRoute = routeFinder([...routes, openApiRoute(routes)]);
  const requestLimit = limits && createRateLimit(limits, now);
  const storedLimit = limits && createRateLimit(limits.stored ?? storedBytesRate, now);
  const holdMemory = createMemoryLimit(memoryBytes);
  const pace = createPace();
  const deletionSlots = createCallerSlots(mostDeletionsOfOneCaller);

  async function countRequest(caller: string): Promise<() => void> {
    if (!requestLimit) return () => {};
    const leave = requestLimit.enter(caller);
    if (leave) return leave;
    await pace(caller);
    throw tooManyRequests();
  }

  function countStored(caller: string, bytes: number): number {
    if (!storedLimit) return 0;
    const seconds = storedLimit.spendAhead(caller, bytes, longestWaitSeconds);
    if (seconds <= longestWaitSeconds) return seconds;
    const retryAfter = Math.ceil(seconds);
    throw tooManyRequests(
      `You sent too many bytes in a short time. Try again in ${retryAfter} s.`,
      retryAfter,
    );
  }

  function slotsFor({ method, path }: ServiceRequest, caller: string): Slots | undefined {
    if (method === 'DELETE') return deletionSlots(caller);
    const isWrite = method !== 'GET' && method !== 'HEAD';
    return isWrite || !path.startsWith('/v1/') ? undefined : readSlots(caller);
  }

  async function answer(request: ServiceRequest, outgoing: ServerResponse, onEnd: OnEnd): Promise<Answer> {
    const { route, params, allowedMethods } = findRoute(request.method, request.path);
    if (route) {
      const below = request.space === undefined ? '' : '/@{space}';
      options.onRoute?.(request.incoming, below + patternOf(route.path));
    }
    if (route?.access !== 'any host') request.origin = checkHost(request, network);
    if (route?.access === 'any host' || route?.access === 'form') {
      await pace(addressOf(request, network));
      return route.answer(request, params);
    }
    refuseWebPages(request);
    checkBodyHeaders(request);
    if (route && !route.body) discardBody(request);
    let identifiedAt = 0;
    const identifyCaller = async () => {
      identifiedAt = now();
      const identified = await identify(request, store, requestLimit, network);
      request.actor = identified?.actor;
      request.user = identified?.principal;
    };
    await identifyCaller();
    const caller = callerKey(request, network);
    onEnd(await countRequest(caller));
    request.countStored = async (bytes) => {
      const seconds = countStored(caller, bytes);
      if (seconds === 0) return;
      await sleep(seconds * 1_000);
      if (outgoing.destroyed) throw callerIsGone();
      await request.identifyAgain();
    };
    request.takeTurn = () => pace(caller);
    checkMembership(request);
    request.identifyAgain = async () => {
      await identifyCaller();
      checkMembership(request);
    };
    // Without `limits` there is one person only, whose writes are faster if they share a commit.
    if (!route || route.method === 'GET' || limits) await request.takeTurn();
    if (!route) return refuseUnknownRoute(request, allowedMethods);
    if (route.access === 'token') requireUser(request);
    const held = holdMemory(caller);
    onEnd(held.release);
    request.reserveMemory = held.add;
    const answerNow = async () => {
      if (outgoing.destroyed) throw callerIsGone();
      if (now() - identifiedAt > identityLifetimeMs) await request.identifyAgain();
      return route.answer(request, params);
    };
    const answerAndRest = async () => {
      const given = await answerNow();
      const bytes = Buffer.byteLength(given.body ?? '');
      // A write is answered even above the memory limit, because the caller must learn that the write is stored.
      if (route.method === 'GET') held.add(bytes);
      else held.addAnyway(bytes);
      await letOthersConnect(bytes);
      return given;
    };
    const slots = slotsFor(request, caller);
    return slots ? slots.run(answerAndRest) : answerAndRest();
  }

  return async ({ url, ...given }, outgoing) => {
    if (!url) {
      await pace(addressOf(given, network));
      return problemAnswer(new Problem(400, 'The path or the Host header of the request is not valid.'));
    }
    const request: ServiceRequest = {
      ...given,
      url,
      ...splitSpace(url.pathname),
      origin: url.origin,
      hasLinks: !network.endsWithCaller,
      user: undefined,
      actor: undefined,
      reserveMemory() {},
      async countStored() {},
      async identifyAgain() {},
      async takeTurn() {},
    };
    const releases: (() => void)[] = [];
    const releaseAll = () => {
      for (const release of releases) release();
    };
    const onEnd: OnEnd = (release) => releases.push(release);
    const answered = await answer(request, outgoing, onEnd).catch(async (error) => {
      await pace(addressOf(request, network));
      if (isStoreBroken(error)) onStoreFailure?.(error);
      const isSpaceRemoved = request.space !== undefined && isOrphaned(error);
      const given = problemAnswer(isSpaceRemoved ? nothingAt(request.url) : error, isForBrowser(request));
      if (given.status === 500 && !isStoreBroken(error)) onInternalError?.(request.incoming, error);
      return given;
    });
    // A write goes on after its caller disconnected, so it must count until it ends.
    if (outgoing.destroyed) releaseAll();
    else outgoing.once('close', releaseAll);
    return { ...answered, headers: { ...everyAnswer, ...answered.headers } };
  };
}

/**
 * Node accepts one new connection per turn of the event loop, and a turn in which a large answer is made is long. So
 * short turns follow it.
 */
async function letOthersConnect(bytes: number): Promise<void> {
  for (let left = bytes / bytesPerTurn; left > 1; left--) await setImmediate();
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
  const probe = atMostOnceASecond(store.probe);
  return route('GET', healthPath, {
    access: 'any host',
    summary: 'The health of the service',
    responses: { 200: ref('Health') },
    async answer() {
      if (isDraining?.()) return json({ status: 'draining' }, 503);
      await probe();
      return json({ status: 'ok' });
    },
  });
}

function atMostOnceASecond(probe: () => Promise<void>): () => Promise<void> {
  let last: Promise<void> | undefined;
  return () => {
    if (last) return last;
    last = probe();
    const forget = () => {
      setTimeout(() => {
        last = undefined;
      }, 1_000).unref();
    };
    last.then(forget, forget);
    return last;
  };
}
