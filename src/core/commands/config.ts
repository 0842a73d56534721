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
    rows: settingsToShow(context).map(({ setting, read }) => {
      const { value = null, source = 'not set' } = read() ?? {};
      return { setting, value, source };
    }),
  }),
});

interface ShownSetting {
  setting: string;
  read(): { value?: JsonValue; source: string } | undefined;
}

function settingsToShow({ settings, flags, host: { env } }: Context): ShownSetting[] {
  const proxy = (found: Setting<string> | undefined) =>
    found && { ...found, value: withoutPassword(parseProxy(found)) };
  const orEmpty = (found: Setting<string> | undefined, variable: 'VALS_BASE_URL' | 'VALS_TOKEN') =>
    found ?? (settings.isEmpty(variable) ? { source: `${variable} is set, but empty` } : undefined);
  return [
    {
      setting: 'base-url',
      read() {
        const { baseUrl } = settings;
        return orEmpty(baseUrl && { ...baseUrl, value: baseUrl.value.href }, 'VALS_BASE_URL');
      },
    },
    { setting: 'local', read: () => settings.local },
    {
      setting: 'token',
      read: () => orEmpty(settings.token && { ...settings.token, value: '********' }, 'VALS_TOKEN'),
    },
    { setting: 'timeout', read: () => settings.timeout },
    { setting: 'allow-http', read: () => settings.allowHttp },
    { setting: 'debug', read: () => settings.debug },
    { setting: 'color', read: () => color(flags.color, env) },
    { setting: 'https-proxy', read: () => proxy(settings.proxy.https) },
    { setting: 'http-proxy', read: () => proxy(settings.proxy.http) },
    { setting: 'no-proxy', read: () => settings.proxy.none },
    { setting: 'config-dir', read: () => settings.configDirectory },
    {
      setting: 'config-file',
      read() {
        const { configDirectory } = settings;
        if (configDirectory === undefined) return undefined;
        settings.readConfig();
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

function color(flag: boolean | undefined, env: NodeJS.ProcessEnv): Setting<JsonValue> {
  if (flag !== undefined) return { value: flag, source: flag ? '--color' : '--no-color' };
  const variable = ['NO_COLOR', 'FORCE_COLOR'].find((name) => env[name]);
  if (variable === undefined) return { value: 'auto', source: 'default' };
  return { value: wantsColor(undefined, env, { isTerminal: false }), source: variable };
}

const withoutPassword = ({ protocol, username, password, host }: URL): string =>
  `${protocol}//${username || password ? '***@' : ''}${host}`;
