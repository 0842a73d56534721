// The chosen service, and the error if none is chosen.
import { UsageError } from '../errors.ts';
import type { BaseUrl } from './base-url.ts';
import type { Settings } from './settings.ts';

export function chosenBaseUrl({ baseUrl }: Settings): BaseUrl {
  if (baseUrl !== undefined) return baseUrl.value;
  throw new UsageError('No service is chosen.', {
    hint: 'Run `vals login --base-url URL`, give --base-url (VALS_BASE_URL), or use the embedded service with --local (VALS_LOCAL=1).',
  });
}

/** The embedded service has another port each time, so its address cannot be its name. */
export const embeddedService = 'local';

export const serviceName = (settings: Settings): string =>
  settings.local.value ? embeddedService : chosenBaseUrl(settings).href;
