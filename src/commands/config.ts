import { defineCommand } from '../cli/command.ts';
import type { JsonObject, JsonValue } from '../lib/json.ts';
import type { Setting } from '../settings/settings.ts';
import { column } from '../terminal/column.ts';
import { wantsColor } from '../terminal/style.ts';

export const command = defineCommand({
  summary: 'Show the settings in use and where they come from',
  examples: ['vals config', 'vals config --json | jq -r \'.[] | select(.setting == "base-url").value\''],
  columns: [column('setting'), column('value'), column('source')],
  run({ settings, flags, env }) {
    const { local, baseUrl, token, timeout, allowHttp, debug, proxy, configDirectory, dataDirectory } =
      settings;
    const row = (setting: string, found: Setting<JsonValue> | undefined): JsonObject => ({
      setting,
      value: found?.value ?? null,
      source: found?.source ?? 'not set',
    });
    const shownProxy = (found: Setting<string> | undefined) =>
      found && { ...found, value: withoutPassword(found.value) };
    const rows = [
      row('base-url', baseUrl && { ...baseUrl, value: baseUrl.value.href }),
      row('local', local),
      row('token', token && { ...token, value: '********' }),
      row('timeout', timeout),
      row('allow-http', allowHttp),
      row('debug', debug),
      row('color', color(flags.color, env)),
      row('https-proxy', shownProxy(proxy.https)),
      row('http-proxy', shownProxy(proxy.http)),
      row('no-proxy', proxy.none),
      row('config-dir', configDirectory),
      row('config-file', configDirectory && { ...configDirectory, value: settings.configFile }),
      row('data-dir', dataDirectory),
      row('data-file', dataDirectory && { ...dataDirectory, value: settings.dataFile }),
    ];
    return { kind: 'list', rows };
  },
});

function color(flag: boolean | undefined, env: NodeJS.ProcessEnv): Setting<JsonValue> {
  if (flag !== undefined) return { value: flag, source: flag ? '--color' : '--no-color' };
  const variable = ['NO_COLOR', 'FORCE_COLOR'].find((name) => env[name]);
  if (variable === undefined) return { value: 'auto', source: 'default' };
  return { value: wantsColor(undefined, env, { isTerminal: false }), source: variable };
}

const withoutPassword = (address: string): string => address.replace(/^([a-z]+:\/\/)?.*@/i, '$1***@');
