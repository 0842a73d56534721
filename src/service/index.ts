// The embedded service: every route of the API over one SQLite file or a PostgreSQL database, on the loopback address or for a team.
import { type LocalError, UsageError } from '../errors.ts';
import { isAmong } from '../lib/addresses.ts';
import { type Clock, systemClock } from '../lib/clock.ts';
import { createApp } from './app.ts';
import { type Certificate, readCertificate, watchCertificate } from './certificate.ts';
import type { Place } from './database/database.ts';
import { createListener } from './listener.ts';
import { inUrl, loopbackOnly, type Network } from './network.ts';
import { createPageAccess } from './page-access.ts';
import type { Limits } from './rate-limit.ts';
import { loadSeed, type SeedData } from './seed.ts';
import { type Answered, listen } from './server.ts';
import { openStore, type Store } from './store.ts';

export { DatabaseFailure, type Place } from './database/database.ts';
export type { Network } from './network.ts';
export { countSeed, parseSeed, type SeedData } from './seed.ts';
export { openStore, type Store } from './store.ts';
export { withoutTokens } from './users.ts';

export interface EmbeddedService {
  /** What it is called: its public URL, or its address. */
  baseUrl: string;
  port: number;
  /** Of the store's owner, where it has one. */
  token: string | undefined;
  /** Opens the owner's page in a browser, once; undefined where there is no owner, or a sign-in instead. */
  pageLink(): string | undefined;
  /** Sends callers away, to another process that serves the same, before it closes. */
  drain(): Promise<void>;
  /** Stops accepting, finishes what is under way, closes the store. */
  close(): Promise<void>;
}

export interface ServiceOptions {
  /** 0 takes a free one. */
  port: number;
  /** On the loopback address where absent. */
  network?: Network;
  /** For each token; none where absent. */
  limits?: Limits;
  /** For the owner of the store. */
  seed?: SeedData;
  onWarning?(message: string): void;
  clock?: Clock;
  onAnswered?(answered: Answered): void;
  onRefusedVisit?(): void;
  /** A request failed because the store did: it is full, damaged, or not there any more. */
  onStoreFailure?(error: LocalError): void;
}

/** A file is made, with its folders, where it is missing; so are the tables of a database. */
export async function startService(options: Place & ServiceOptions): Promise<EmbeddedService> {
  const { network = loopbackOnly, limits } = options;
  const certificate = readOwnCertificate(network, options.onWarning);
  const store = await openStore(options);
  try {
    if (options.seed) await seedOwner(store, options.seed);
    const pageAccess = createPageAccess();
    let draining = false;
    const app = createApp(store, {
      network,
      limits,
      isDraining: () => draining,
      pageAccess,
      onRefusedVisit: options.onRefusedVisit,
      onStoreFailure: (error) => options.onStoreFailure?.(store.explain(error)),
    });
    const server = await listen(createListener(app), {
      host: network.host,
      port: options.port,
      certificate,
      isLimited: (address) => !isAmong(network.proxies, address),
      isBehindProxy: network.publicUrl !== undefined && certificate === undefined,
      onAnswered: (answered) => options.onAnswered?.({ ...answered, path: pageAccess.hide(answered.path) }),
    });
    const { port } = server;
    const stopWatching = renewCertificate(network, server.renew, options);
    let closed: Promise<void> | undefined;
    const baseUrl = network.publicUrl?.origin ?? `http://${inUrl(network.host)}:${port}`;
    return {
      baseUrl,
      port,
      token: store.owner?.token,
      pageLink: () => (store.owner && !network.publicUrl ? `${baseUrl}/?key=${pageAccess.key}` : undefined),
      drain() {
        draining = true;
        return server.drain();
      },
      close() {
        stopWatching();
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

function readOwnCertificate(
  { certificate, publicUrl }: Network,
  onWarning: (message: string) => void = () => {},
): Certificate | undefined {
  if (certificate === undefined || publicUrl === undefined) return undefined;
  const read = readCertificate(certificate, publicUrl.hostname, Date.now());
  for (const warning of read.warnings) onWarning(warning);
  return read;
}

/** One that cannot be used is no reason to end: the one in use stays. */
function renewCertificate(
  network: Network,
  use: (certificate: Certificate) => void,
  { clock = systemClock, onWarning }: { clock?: Clock; onWarning?(message: string): void },
): () => void {
  if (network.certificate === undefined) return () => {};
  return watchCertificate(network.certificate, clock, () => {
    try {
      const renewed = readOwnCertificate(network, onWarning);
      if (renewed) use(renewed);
    } catch (error) {
      onWarning?.(`${(error as Error).message} The certificate from before is still used.`);
    }
  });
}
