import { InvalidValue } from '../errors.ts';
import { type Flags, parseSeconds } from '../settings/settings.ts';
import { type OptionDefinition, parsed, toggle, word } from './command.ts';

export const globalOptions: Record<keyof Flags, OptionDefinition<unknown>> = {
  json: toggle('--json', 'print one JSON document', { conflicts: ['ndjson'] }),
  ndjson: toggle('--ndjson', 'print one JSON record per line, as records arrive'),
  fields: parsed('--fields <a,b.c>', 'print only these fields of each record', parseFields),
  quiet: toggle('-q, --quiet', 'print no hints and no progress'),
  baseUrl: word('--base-url <url>', 'the address of the service (VALS_BASE_URL)'),
  local: toggle('--local', 'use the embedded service on this machine (VALS_LOCAL=1)'),
  timeout: parsed(
    '--timeout <seconds>',
    'time limit of a request and its retries (VALS_TIMEOUT, default: 60)',
    parseSeconds,
  ),
  allowHttp: toggle('--allow-http', 'allow http:// addresses of other machines (VALS_ALLOW_HTTP=1)'),
  debug: toggle('--debug', 'print each request on stderr (VALS_DEBUG=1)'),
  color: toggle('--color', 'print tables and colours as at a terminal, even in a pipe', {
    negatedDescription: 'print no colours (NO_COLOR=1)',
  }),
  pager: toggle('--pager', 'show long output in VALS_PAGER, PAGER or less', {
    negatedDescription: 'use no pager',
  }),
};

export const helpOption = toggle('-h, --help', 'show the help');
export const versionOption = toggle('-V, --version', 'print the version');

export const environmentAlone: Readonly<Record<string, string>> = {
  VALS_TOKEN: 'the token to use instead of the one that `vals login` stored',
  VALS_TO_TOKEN: 'the token for the service that `vals copy --to` names',
  VALS_CONFIG_DIR: 'the folder of the config file',
  VALS_DATA_DIR: 'the data folder of the embedded service',
  HTTPS_PROXY: 'the proxy for https:// addresses',
  HTTP_PROXY: 'the proxy for http:// addresses',
  NO_PROXY: 'the hosts that are reached without a proxy',
  VISUAL: 'the editor for `vals val edit`, used instead of EDITOR',
};

function parseFields(text: string): string[] {
  const fields = text.split(',').map((field) => field.trim());
  if (fields.some((field) => field === '' || field.split('.').includes(''))) {
    throw new InvalidValue(
      `takes names separated by commas, not "${text}".`,
      'For example id,author.username.',
    );
  }
  return fields;
}
