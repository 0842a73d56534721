import type { OpenLocal } from '../core/command-line/command.ts';
import { LocalError } from '../core/errors.ts';
import { type ServiceEvent, startService } from './start-service.ts';

/** Starts the embedded service in this process, for one command. */
export const openLocal: OpenLocal = async (settings, onUpgrade) => {
  let failure: LocalError | undefined;
  const onEvent = (event: ServiceEvent) => {
    if (event.kind === 'store failed' && event.error instanceof LocalError) failure = event.error;
    if (event.kind === 'upgraded') onUpgrade(event.message);
  };
  const { baseUrl, token, close } = await startService({
    file: settings.dataFile,
    port: 0,
    endsWithCommand: true,
    onEvent,
  });
  return { base: { origin: baseUrl, href: baseUrl }, token, failure: () => failure, close };
};
