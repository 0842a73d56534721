import { mostRequests } from '../api/http/pace.ts';
import { requireOpenFiles } from '../lib/open-files.ts';

export type { EmbeddedService, Network, Store, StoreLocation } from '../service/index.ts';

/** 16 for the database, the listener and a reserve. Each request opens two: one in the client and one in the service. */
const openFilesNeeded = 16 + 2 * mostRequests;

export async function loadService() {
  requireOpenFiles(openFilesNeeded, 'the embedded service');
  return import('../service/index.ts');
}
