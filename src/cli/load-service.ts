import { mostRequests } from '../api/http/pace.ts';
import { requireOpenFiles } from '../lib/open-files.ts';

export type { EmbeddedService, InternalError, Network, Store, StoreLocation } from '../service/index.ts';

const openFilesOfService = 16;
const openFilesPerRequest = 2;
const openFilesNeeded = openFilesOfService + openFilesPerRequest * mostRequests;

export async function loadService() {
  requireOpenFiles(openFilesNeeded, 'the embedded service');
  return import('../service/index.ts');
}
