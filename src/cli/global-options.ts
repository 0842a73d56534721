// The options of every command, and the environment variables that have no option.
import { UsageError } from '../errors.ts';
import { type Flags, parseTimeout } from '../settings/settings.ts';
import { type OptionDefinition, parsed, toggle, word } from './command.ts';

export const globalOptions: Record<keyof Flags, OptionDefinition<unknown>> = {
  json: toggle('--json', 'print one JSON document', { conflicts: ['ndjson'] }),
  ndjson: toggle('--ndjson', 'print one JSON record a line, as they arrive'),
  fields: parsed('--fields <a,b.c>', 'print these fields alone', parseFields),
  quiet: toggle('--quiet', 'no hints and no progress'),
  baseUrl: word('--base-url <url>', 'the service to talk to (VALS_BASE_URL)'),
  local: toggle('--local', 'use the embedded service on this machine (VALS_LOCAL=1)'),
  timeout: parsed(
    '--timeout <seconds>',
    'deadline of one request, retries included (VALS_TIMEOUT, 60)',
    (text) => parseTimeout(text, '--timeout'),
  ),
  allowHttp: toggle('--allow-http', 'allow http:// to another machine (VALS_ALLOW_HTTP=1)'),
  debug: toggle('--debug', 'trace requests on stderr (VALS_DEBUG=1)'),
  color: toggle('--color', 'as at a terminal, with colour, in a pipe too', {
    negated: 'no colour (NO_COLOR=1)',
  }),
  pager: toggle('--pager', 'what is longer than the screen through VALS_PAGER, PAGER or less', {
    negated: 'no pager',
  }),
};

export const helpOption = toggle('-h, --help', 'show the help');
export const versionOption = toggle('-V, --version', 'print the version; of `vals` alone');

/** Settings that only the environment has. */
export const environmentAlone: Readonly<Record<string, string>> = {
  VALS_TOKEN:
    'the token, instead of the one that `vals login` stored; it has no option, since others see those',
  VALS_TO_TOKEN: 'the token for the service that `vals copy --to` names',
  VALS_CONFIG_DIR: 'the folder of the config file',
  VALS_DATA_DIR: 'the folder of what the embedded service keeps',
  HTTPS_PROXY: 'the proxy for https://; HTTP_PROXY for http://, NO_PROXY for the hosts without one',
  VISUAL: 'the editor of `vals val edit`, before EDITOR',
};

function parseFields(text: string): string[] {
  const fields = text.split(',').map((field) => field.trim());
  if (fields.some((field) => field === '' || field.split('.').includes(''))) {
    throw new UsageError(`--fields takes names with commas between them, not "${text}".`, {
      hint: 'For example --fields id,author.username.',
    });
  }
  return fields;
}
