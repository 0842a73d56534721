// The chosen service, and the error if none is chosen.
import { UsageError } from '../errors.ts';
import type { BaseUrl } from './base-url.ts';
import type { Settings } from './settings.ts';

export function chosenBaseUrl({ baseUrl }: Settings): BaseUrl {
  if (baseUrl !== undefined) return baseUrl.value;
  throw new UsageError('No service is chosen.', {
    hint: 'Give --base-url URL (or VALS_BASE_URL, or `vals login --base-url URL`), or --local (VALS_LOCAL=1) for the embedded service.',
  });
}

/** A lasting name: the embedded service has another port each time. */
export const embeddedService = 'local';

export const serviceName = (settings: Settings): string =>
  settings.local.value ? embeddedService : chosenBaseUrl(settings).href;
