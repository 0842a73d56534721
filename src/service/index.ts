// The embedded service: every route of the API over one SQLite file or a PostgreSQL database, on the loopback address.
import { getRequestListener } from '@hono/node-server';
import { type LocalError, UsageError } from '../errors.ts';
import { createApp } from './app.ts';
import type { Place } from './database/database.ts';
import { createPageAccess } from './page-access.ts';
import { Problem, problemText, problemType } from './problem.ts';
import { loadSeed, type SeedData } from './seed.ts';
import { type Answered, listen, loopbackAddress } from './server.ts';
import { openStore, type Store } from './store.ts';

export { DatabaseFailure, type Place } from './database/database.ts';
export { countSeed, parseSeed, type SeedData } from './seed.ts';
export { openStore, type Store } from './store.ts';
export { withoutTokens } from './token.ts';

export interface EmbeddedService {
  baseUrl: string;
  /** Of the store's owner, where it has one. */
  token: string | undefined;
  /** Opens the owner's page in a browser, once; undefined where there is no owner. */
  pageLink(): string | undefined;
  /** Stops accepting, finishes what is under way, closes the store. */
  close(): Promise<void>;
}

export interface ServiceOptions {
  /** 0 takes a free one. */
  port: number;
  /** For the owner of the store. */
  seed?: SeedData;
  onAnswered?(answered: Answered): void;
  onRefusedVisit?(): void;
  /** A request failed because the store did: it is full, damaged, or not there any more. */
  onStoreFailure?(error: LocalError): void;
}

/** A file is made, with its folders, where it is missing; so are the tables of a database. */
export async function startService(options: Place & ServiceOptions): Promise<EmbeddedService> {
  const store = await openStore(options);
  try {
    if (options.seed) await seedOwner(store, options.seed);
    const visits = createPageAccess();
    const { fetch } = createApp(store, {
      visits,
      onRefusedVisit: options.onRefusedVisit,
      onStoreFailure: (error) => options.onStoreFailure?.(store.explain(error)),
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
      token: store.owner?.token,
      pageLink: () => (store.owner ? `${baseUrl}/?key=${visits.key}` : undefined),
      close() {
        closed ??= server.close().finally(store.close);
        return closed;
      },
    };
  } catch (error) {
    await store.close();
    throw error instanceof UsageError ? error : store.explain(error);
  }
}

async function seedOwner(store: Store, seed: SeedData): Promise<void> {
  if (store.owner) return loadSeed(store, store.owner.user, seed);
  throw new UsageError('A seed is loaded for the owner of a store, and a shared database has none.', {
    hint: 'Leave --seed away, or use a file: `vals serve --data <file> --seed <file>`.',
  });
}

/** Requests whose target or Host makes no URL never reach the routes. */
function answerUnreadable(): Response {
  const problem = new Problem(400, 'The request has no usable target or Host.');
  return new Response(problemText(problem), { status: 400, headers: { 'Content-Type': problemType } });
}
