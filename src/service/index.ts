// The embedded service: every route of the API over one SQLite file, on the loopback address.
import { getRequestListener } from '@hono/node-server';
import type { LocalError } from '../errors.ts';
import { createApp } from './app.ts';
import { storeError } from './database.ts';
import { createPageAccess } from './page-access.ts';
import { Problem, problemText, problemType } from './problem.ts';
import { loadSeed, type SeedData } from './seed.ts';
import { type Answered, listen, loopbackAddress } from './server.ts';
import { openStore } from './store.ts';

export { countSeed, parseSeed, type SeedData } from './seed.ts';

export interface EmbeddedService {
  baseUrl: string;
  token: string;
  /** Opens the page in a browser, once. */
  pageLink(): string;
  /** Stops accepting, finishes what is under way, closes the store. */
  close(): Promise<void>;
}

export async function startService(options: {
  /** The SQLite file; made, with its folders, where it is missing. */
  file: string;
  /** 0 takes a free one. */
  port: number;
  seed?: SeedData;
  onAnswered?(answered: Answered): void;
  onRefusedVisit?(): void;
  /** A request failed because the store did: it is full, damaged, or not there any more. */
  onStoreFailure?(error: LocalError): void;
}): Promise<EmbeddedService> {
  const store = await openStore(options.file);
  try {
    if (options.seed) await loadSeed(store, options.seed);
    const visits = createPageAccess();
    const { fetch } = createApp(store, {
      visits,
      onRefusedVisit: options.onRefusedVisit,
      onStoreFailure: (error) => options.onStoreFailure?.(storeError(options.file, error)),
    });
    // The globals belong to the program that this runs in.
    const listener = getRequestListener(fetch, {
      overrideGlobalObjects: false,
      errorHandler: answerUnreadable,
    });
    const server = await listen(listener, options.port, (answered) =>
      options.onAnswered?.({ ...answered, path: visits.hide(answered.path) }),
    );
    let closed: Promise<void> | undefined;
    const baseUrl = `http://${loopbackAddress}:${server.port}`;
    return {
      baseUrl,
      token: store.token,
      pageLink: () => `${baseUrl}/?key=${visits.key}`,
      close() {
        closed ??= server.close().finally(store.close);
        return closed;
      },
    };
  } catch (error) {
    store.close();
    throw storeError(options.file, error);
  }
}

/** Requests whose target or Host makes no URL never reach the routes. */
function answerUnreadable(): Response {
  const problem = new Problem(400, 'The request has no usable target or Host.');
  return new Response(problemText(problem), { status: 400, headers: { 'Content-Type': problemType } });
}
