import { mostRequests } from '../api/http/pace.ts';
import { requireOpenFiles } from '../lib/open-files.ts';

export type { EmbeddedService, Network, Store, StoreLocation } from '../service/index.ts';

const openFilesNeeded = 16 + 2 * mostRequests;

export async function loadService() {
  requireOpenFiles(openFilesNeeded, 'the embedded service');
  return import('../service/index.ts');
}
