import { column, defineCommand } from '../command.ts';
import type { JsonObject, JsonValue } from '../json.ts';
import type { Setting } from '../settings/settings.ts';

export const config = defineCommand({
  path: 'config',
  summary: 'Show the settings in force and where they come from',
  examples: ['vals config', 'vals config --json | jq -r \'.[] | select(.setting == "base-url").value\''],
  columns: [column('setting'), column('value'), column('source')],
  run({ settings, flags, env }) {
    const { local, baseUrl, token, timeout, allowHttp, debug, configDirectory, dataDirectory } = settings;
    const row = (setting: string, found: Setting<JsonValue> | undefined): JsonObject => ({
      setting,
      value: found?.value ?? null,
      source: found?.source ?? 'not set',
    });
    const fromEnvironment = (variable: string): Setting<string> | undefined =>
      env[variable] ? { value: withoutPassword(env[variable]), source: variable } : undefined;
    const color =
      flags.color === undefined ? (fromEnvironment('NO_COLOR') ?? fromEnvironment('FORCE_COLOR')) : undefined;
    return [
      row('base-url', baseUrl && { ...baseUrl, value: baseUrl.value.href }),
      row('local', local),
      row('token', token && { ...token, value: '********' }),
      row('timeout', timeout),
      row('allow-http', allowHttp),
      row('debug', debug),
      row(
        'color',
        color
          ? { value: color.source, source: color.source }
          : { value: flags.color ?? 'auto', source: flags.color === undefined ? 'default' : '--color' },
      ),
      row('https-proxy', fromEnvironment('HTTPS_PROXY') ?? fromEnvironment('https_proxy')),
      row('http-proxy', fromEnvironment('HTTP_PROXY') ?? fromEnvironment('http_proxy')),
      row('no-proxy', fromEnvironment('NO_PROXY') ?? fromEnvironment('no_proxy')),
      row('config-dir', configDirectory),
      row('config-file', { ...configDirectory, value: settings.configFile }),
      row('data-dir', dataDirectory),
      row('data-file', { ...dataDirectory, value: settings.dataFile }),
    ];
  },
});

const withoutPassword = (address: string): string => address.replace(/\/\/[^@/]*@/, '//***@');
