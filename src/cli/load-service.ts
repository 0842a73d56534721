// The embedded service, loaded where it is used; where this Node cannot run it, this says why.
import { UsageError } from '../errors.ts';

export type { Network, Place, Store } from '../service/index.ts';

export async function loadService() {
  if (typeof Response === 'undefined') {
    throw new UsageError('This Node runs without fetch, which the embedded service needs.', {
      hint: 'Take --no-experimental-fetch out of NODE_OPTIONS.',
    });
  }
  return import('../service/index.ts');
}
