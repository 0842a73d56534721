import { defineCommand, type Run } from '../command-line/command.ts';
import { UsageError, ValsError } from '../errors.ts';
import type { JsonObject, JsonValue } from '../lib/json.ts';
import { type Column, column } from '../output/column.ts';
import { wantsColor } from '../output/style.ts';
import type { Setting } from '../settings/proxy.ts';

const valueColumn: Column = {
  ...column('value'),
  compute: ({ value, problem }) => problem ?? value,
  present: (text, { problem }, { failed }) =>
    problem === undefined ? { text } : { text: `${failed}${text}`, tone: 'red' },
};

export const command = defineCommand({
  summary: 'Show the settings in use and where they come from',
  description:
    'Show the settings in use and where they come from. A setting that is wrong is shown with what is wrong with it, and ' +
    'the exit code is 2.',
  examples: ['vals config', 'vals config --json | jq -r \'.[] | select(.setting == "base-url").value\''],
  columns: [column('setting'), valueColumn, column('source')],
  run(run) {
    const shown = settingsToShow(run);
    const wrong = new Map<string, ValsError>();
    const configFile = shown.find(({ setting }) => setting === 'config-file');
    // The base URL and the token may be in the config file, so its row is the one that is marked.
    if (configFile !== undefined) rowOf(run, configFile, wrong);
    const rows = shown.map((each) => rowOf(run, each, wrong));
    return { kind: 'list', rows, error: errorAbout(wrong) };
  },
});

function rowOf(
  run: Run,
  { setting, read, variable }: ShownSetting,
  wrong: Map<string, ValsError>,
): JsonObject {
  try {
    const { value = null, source = 'not set' } = read() ?? {};
    return { setting, value, source };
  } catch (error) {
    if (!(error instanceof ValsError)) throw error;
    const cause = [...wrong].find(([, { message }]) => message === error.message)?.[0] ?? setting;
    if (cause !== setting) return { setting, value: null, source: `see ${cause}` };
    wrong.set(setting, error);
    return { setting, value: null, source: sourceOf(run, variable), problem: error.message };
  }
}

interface ShownSetting {
  setting: string;
  read(): { value?: JsonValue; source: string } | undefined;
  /** The environment variable, for a value that cannot be used. */
  variable?: string;
}

function settingsToShow({ settings, flags, host: { env } }: Run): ShownSetting[] {
  const proxy = (found: Setting<string> | undefined) =>
    found && { ...found, value: withoutPassword(found.value) };
  const orEmpty = (found: Setting<string> | undefined, variable: 'VALS_BASE_URL' | 'VALS_TOKEN') =>
    found ?? (settings.isEmpty(variable) ? { source: `${variable} is set, but empty` } : undefined);
  return [
    {
      setting: 'base-url',
      variable: 'VALS_BASE_URL',
      read() {
        const { baseUrl } = settings;
        return orEmpty(baseUrl && { ...baseUrl, value: baseUrl.value.href }, 'VALS_BASE_URL');
      },
    },
    { setting: 'local', variable: 'VALS_LOCAL', read: () => settings.local },
    {
      setting: 'token',
      variable: 'VALS_TOKEN',
      read: () => orEmpty(settings.token && { ...settings.token, value: '********' }, 'VALS_TOKEN'),
    },
    { setting: 'timeout', variable: 'VALS_TIMEOUT', read: () => settings.timeout },
    { setting: 'allow-http', variable: 'VALS_ALLOW_HTTP', read: () => settings.allowHttp },
    { setting: 'debug', variable: 'VALS_DEBUG', read: () => settings.debug },
    { setting: 'color', read: () => color(flags.color, env) },
    { setting: 'https-proxy', read: () => proxy(settings.proxy.https) },
    { setting: 'http-proxy', read: () => proxy(settings.proxy.http) },
    { setting: 'no-proxy', read: () => settings.proxy.none },
    { setting: 'config-dir', read: () => settings.configDirectory },
    {
      setting: 'config-file',
      variable: 'VALS_CONFIG_DIR',
      read() {
        const { configDirectory } = settings;
        if (configDirectory === undefined) return undefined;
        settings.checkConfigFile();
        return { ...configDirectory, value: settings.configFile };
      },
    },
    { setting: 'data-dir', read: () => settings.dataDirectory },
    {
      setting: 'data-file',
      read: () => settings.dataDirectory && { ...settings.dataDirectory, value: settings.dataFile },
    },
  ];
}

function sourceOf({ flags, host: { env } }: Run, variable: string | undefined): string {
  if (variable === 'VALS_BASE_URL' && flags.baseUrl !== undefined) return '--base-url';
  return variable !== undefined && env[variable]?.trim() ? variable : 'config file';
}

function errorAbout(wrong: ReadonlyMap<string, ValsError>): UsageError | undefined {
  const [first, ...others] = [...wrong];
  if (first === undefined) return undefined;
  const [setting, { message, facts }] = first;
  if (others.length === 0) return new UsageError(message, facts);
  const names = [setting, ...others.map(([name]) => name)];
  return new UsageError(`${names.length} settings cannot be used: ${names.join(', ')}.`, {
    hint: 'The table says what is wrong with each of them.',
  });
}

function color(flag: boolean | undefined, env: NodeJS.ProcessEnv): Setting<JsonValue> {
  if (flag !== undefined) return { value: flag, source: flag ? '--color' : '--no-color' };
  const variable = ['NO_COLOR', 'FORCE_COLOR'].find((name) => env[name]);
  if (variable === undefined) return { value: 'auto', source: 'default' };
  return { value: wantsColor(undefined, env, { isTerminal: false }), source: variable };
}

const withoutPassword = (address: string): string => address.replace(/^([a-z]+:\/\/)?.*@/i, '$1***@');
