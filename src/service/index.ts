// The embedded service: every route of the API over one SQLite file, on the loopback address.
import { getRequestListener } from '@hono/node-server';
import { createApp } from './app.ts';
import { storeError } from './database.ts';
import { Problem, problemText, problemType } from './problem.ts';
import { loadSeed, type SeedData } from './seed.ts';
import { listen, loopbackAddress } from './server.ts';
import { openStore } from './store.ts';

export { parseSeed, type SeedData } from './seed.ts';

export interface EmbeddedService {
  baseUrl: string;
  token: string;
  /** Stops accepting, finishes what is under way, closes the store. */
  close(): Promise<void>;
}

export async function startService(options: {
  /** The SQLite file; made, with its folders, where it is missing. */
  file: string;
  /** 0 takes a free one. */
  port: number;
  seed?: SeedData;
}): Promise<EmbeddedService> {
  const store = await openStore(options.file);
  try {
    if (options.seed) loadSeed(store, options.seed);
    const { fetch } = createApp(store);
    // The globals belong to the program that this runs in.
    const listener = getRequestListener(fetch, {
      overrideGlobalObjects: false,
      errorHandler: answerUnreadable,
    });
    const server = await listen(listener, options.port);
    let closed: Promise<void> | undefined;
    return {
      baseUrl: `http://${loopbackAddress}:${server.port}`,
      token: store.token,
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
