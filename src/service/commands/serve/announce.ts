import type { Context } from '../../../core/command-line/command.ts';
import { quoteFor, setVariable, unsetVariable } from '../../../core/command-line/write-hints.ts';
import { stringifyJson } from '../../../core/lib/json.ts';
import type { Say } from '../../../core/output/out.ts';
import type { Settings } from '../../../core/settings/settings.ts';
import type { EmbeddedService, Network } from '../../start-service.ts';
import type { Place } from '../shared/store-place.ts';
import type { Report } from './report.ts';

export async function announce(
  context: Context,
  service: EmbeddedService,
  { network, isShared, place }: { network: Network; isShared: boolean; place: Place },
  report: Report,
): Promise<void> {
  const { flags, settings } = context;
  const say = report.lines;
  const { baseUrl } = service;
  // A shared service must not print a token, because the output of a shared service is usually kept in logs.
  const token = isShared ? undefined : service.token;
  const isJson = flags.json || flags.ndjson;
  await context.out.print(
    isJson ? stringifyJson({ baseUrl, ...(token !== undefined && { token }) }) : baseUrl,
  );
  if (network.publicUrl) {
    report.info(`Listening on ${network.host}, port ${service.port}; answers only requests to ${baseUrl}.`);
  } else {
    showVariables(settings, say, { baseUrl, token });
    say({ kind: 'lines', text: 'There, `vals open` shows the vals in a browser.\n' });
  }
  if (token === undefined) {
    const quote = quoteFor(settings.system.platform);
    const options = place.words.map((word) => (word === '<url>' ? word : quote(word)));
    const addUser = ['vals user add <username>', ...options].join(' ');
    say({ kind: 'lines', text: `To give a person a token, run \`${addUser}\`. The person then runs:\n` });
    say({ kind: 'lines', text: `  vals login ${quote(baseUrl)}\n` });
  }
  say({ kind: 'lines', text: 'Press Ctrl-C to stop.\n' });
}

function showVariables(
  settings: Settings,
  say: Say,
  { baseUrl, token }: { baseUrl: string; token: string | undefined },
): void {
  const { platform } = settings.system;
  const lines = [
    ...(settings.local.value ? [unsetVariable(platform, 'VALS_LOCAL')] : []),
    setVariable(platform, 'VALS_BASE_URL', baseUrl),
    ...(token === undefined ? [] : [setVariable(platform, 'VALS_TOKEN', token)]),
  ];
  say({
    kind: 'lines',
    text: 'Only this machine can reach the service. To use the service in another terminal, run:\n',
  });
  say({ kind: 'lines', text: lines.map((line) => `  ${line}\n`).join(''), despite: 'quiet' });
}
