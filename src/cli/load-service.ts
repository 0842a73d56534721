import { mostRequests } from '../api/http/pace.ts';
import { requireOpenFiles } from '../lib/open-files.ts';

export type { EmbeddedService, Network, Store, StoreLocation } from '../service/index.ts';

/** About ten for the database and the listener, and two for each request: one in the client and one in the service. */
const openFilesNeeded = 16 + 2 * mostRequests;

export async function loadService() {
  requireOpenFiles(openFilesNeeded, 'the embedded service');
  return import('../service/index.ts');
}
