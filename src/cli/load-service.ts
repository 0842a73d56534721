// The embedded service, loaded where it is used; where this Node cannot run it, this says why.
import { LocalError, UsageError } from '../errors.ts';
import { errnoOf } from '../lib/errno.ts';

export async function loadService() {
  if (typeof Response === 'undefined') {
    throw new UsageError('This Node runs without fetch, which the embedded service needs.', {
      hint: 'Take --no-experimental-fetch out of NODE_OPTIONS.',
    });
  }
  try {
    return await import('../service/index.ts');
  } catch (error) {
    if (errnoOf(error) === 'ERR_DLOPEN_DISABLED') {
      throw new UsageError('This Node loads no native code, which the embedded service needs.', {
        hint: 'Take --no-addons out of NODE_OPTIONS; under --permission, add --allow-addons.',
      });
    }
    throw new LocalError(`The embedded service could not be loaded: ${(error as Error).message}`, {
      hint: 'Install vals again, on this machine and with this Node.',
      cause: error,
    });
  }
}
