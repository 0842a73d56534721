// The embedded service, loaded where it is used.
export type { Network, Place, Store } from '../service/index.ts';

export const loadService = () => import('../service/index.ts');
