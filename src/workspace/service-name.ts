// What a workspace calls the service that its vals belong to: a base URL, or `local`.
import { isLoopback } from '../core/settings/base-url.ts';
import { chosenBaseUrl, type Settings } from '../core/settings/settings.ts';

export const embeddedService = 'local';

/** Nobody else can reach a service on this machine, so its ids mean nothing to others. */
export const isOfThisMachine = (service: string): boolean =>
  service === embeddedService || (URL.canParse(service) && isLoopback(new URL(service).hostname));

export const chosenService = (settings: Settings): string | undefined =>
  settings.local.value ? embeddedService : settings.baseUrl?.value.href;

/** Throws if no service is chosen. */
export const serviceName = (settings: Settings): string =>
  chosenService(settings) ?? chosenBaseUrl(settings).href;
