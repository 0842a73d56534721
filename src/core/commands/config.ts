import { type Context, defineCommand } from '../command-line/command.ts';
import type { JsonValue } from '../lib/json.ts';
import { column } from '../output/column.ts';
import { wantsColor } from '../output/style.ts';
import { parseProxy, type Setting } from '../settings/addresses.ts';

export const command = defineCommand({
  summary: 'Show the settings in use and where they come from',
  description:
    'Show the settings in use and where they come from. If a setting is wrong, the error says which one, and where it ' +
    'comes from.',
  examples: ['vals config', 'vals config --json | jq -r \'.[] | select(.setting == "base-url").value\''],
  columns: [column('setting'), column('value'), column('source')],
  // The list is never empty.
  empty: [],
  run: (context) => ({
    kind: 'list',
    rows: settingsToShow(context).map(([setting, found]) => {
      const { value = null, source = 'not set' } = found ?? {};
      return { setting, value, source };
    }),
  }),
});

type ShownSetting = [setting: string, found: { value?: JsonValue; source: string } | undefined];

function settingsToShow({ settings, flags, host: { env } }: Context): ShownSetting[] {
  const proxy = (found: Setting<string> | undefined) =>
    found && { ...found, value: withoutPassword(parseProxy(found)) };
  const orEmpty = (found: ShownSetting[1], variable: 'VALS_BASE_URL' | 'VALS_TOKEN') =>
    found ?? (settings.isEmpty(variable) ? { source: `${variable} is set, but empty` } : undefined);
  const { baseUrl, token, configDirectory, dataDirectory } = settings;
  // Says whether the file can be used.
  if (configDirectory !== undefined) settings.readConfig();
  return [
    ['base-url', orEmpty(baseUrl && { ...baseUrl, value: baseUrl.value.href }, 'VALS_BASE_URL')],
    ['local', settings.local],
    ['token', orEmpty(token && { ...token, value: '********' }, 'VALS_TOKEN')],
    ['timeout', settings.timeout],
    ['allow-http', settings.allowHttp],
    ['debug', settings.debug],
    ['color', color(flags.color, env)],
    ['https-proxy', proxy(settings.proxy.https)],
    ['http-proxy', proxy(settings.proxy.http)],
    ['no-proxy', settings.proxy.none],
    ['config-dir', configDirectory],
    ['config-file', configDirectory && { ...configDirectory, value: settings.configFile }],
    ['data-dir', dataDirectory],
    ['data-file', dataDirectory && { ...dataDirectory, value: settings.dataFile }],
  ];
}

function color(flag: boolean | undefined, env: NodeJS.ProcessEnv): Setting<JsonValue> {
  if (flag !== undefined) return { value: flag, source: flag ? '--color' : '--no-color' };
  const variable = ['NO_COLOR', 'FORCE_COLOR'].find((name) => env[name]);
  if (variable === undefined) return { value: 'auto', source: 'default' };
  return { value: wantsColor(undefined, env, { isTerminal: false }), source: variable };
}

const withoutPassword = ({ protocol, username, password, host }: URL): string =>
  `${protocol}//${username || password ? '***@' : ''}${host}`;
