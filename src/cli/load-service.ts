export type { EmbeddedService, Network, Store, StoreLocation } from '../service/index.ts';

/** Most commands do not need the service, and its code takes long to load. */
export const loadService = () => import('../service/index.ts');
