import { join, resolve } from 'node:path';
import { InvalidValue, LocalError, parseNamed, UsageError } from '../errors.ts';
import { sh } from '../lib/hint.ts';
import { type System, wordsOf } from '../lib/system.ts';
import { type BaseUrl, type ProxyVariables, parseBaseUrl, type Setting } from './addresses.ts';
import { readConfig, type StoredConfig } from './config-file.ts';
import { platformDirectories } from './directories.ts';

export interface Flags {
  baseUrl?: string;
  local?: boolean;
  timeout?: number;
  debug?: boolean;
  color?: boolean;
  allowHttp?: boolean;
  json?: boolean;
  ndjson?: boolean;
  fields?: string[];
  quiet?: boolean;
}

export interface Settings {
  readonly local: Setting<boolean>;
  readonly baseUrl: Setting<BaseUrl> | undefined;
  readonly token: Setting<string> | undefined;
  /** In CI, a secret that is not known is set, but empty. */
  isEmpty(variable: 'VALS_BASE_URL' | 'VALS_TOKEN'): boolean;
  /** Reads the config file anew. Throws if it cannot be used. */
  readConfig(): StoredConfig;
  storedToken(origin: string): Setting<string> | undefined;
  readonly cwd: string;
  readonly timeout: Setting<number>;
  readonly debug: Setting<boolean>;
  readonly allowHttp: Setting<boolean>;
  readonly proxy: ProxyVariables;
  readonly configDirectory: Setting<string> | undefined;
  readonly dataDirectory: Setting<string> | undefined;
  readonly configFile: string;
  readonly dataFile: string;
  readonly system: System;
}

interface SettingsHost {
  env: NodeJS.ProcessEnv;
  system: System;
  cwd(): string;
}

/** Reads a setting only on demand, so that a command that needs no config does not open the config file. */
export function createSettings(flags: Flags, host: SettingsHost, warn: (message: string) => void): Settings {
  const { env, system } = host;
  let stored: StoredConfig | undefined;
  const config = () => {
    stored ??= settings.configDirectory ? settings.readConfig() : { tokens: {} };
    return stored;
  };

  const settings: Settings = {
    system,
    get cwd() {
      return host.cwd();
    },
    get local() {
      if (flags.local && flags.baseUrl !== undefined) {
        throw new UsageError('--local and --base-url cannot be given together.', {
          hint: 'Omit --local or --base-url.',
        });
      }
      if (flags.baseUrl !== undefined) return { value: false, source: '--base-url' };
      return onOff(flags.local, '--local', 'VALS_LOCAL', env);
    },
    get baseUrl() {
      const check = (text: string, source: string) => ({
        value: parseBaseUrl(text, source, settings.allowHttp.value),
        source,
      });
      if (flags.baseUrl !== undefined) return check(flags.baseUrl, '--base-url');
      if (env.VALS_BASE_URL?.trim()) return check(env.VALS_BASE_URL, 'VALS_BASE_URL');
      const { baseUrl } = config();
      return baseUrl === undefined ? undefined : check(baseUrl, 'config file');
    },
    get token() {
      const fromEnvironment = env.VALS_TOKEN?.trim();
      if (fromEnvironment) return { value: checkToken(fromEnvironment, 'VALS_TOKEN'), source: 'VALS_TOKEN' };
      const origin = settings.baseUrl?.value.origin;
      return origin === undefined ? undefined : settings.storedToken(origin);
    },
    isEmpty: (variable) => env[variable]?.trim() === '',
    readConfig: () => readConfig(settings.configFile, system, warn),
    storedToken(origin) {
      const { tokens } = config();
      if (!Object.hasOwn(tokens, origin)) return undefined;
      return { value: checkToken(tokens[origin] ?? '', 'the config file'), source: 'config file' };
    },
    get timeout() {
      if (flags.timeout !== undefined) return { value: flags.timeout, source: '--timeout' };
      if (env.VALS_TIMEOUT) {
        const text = env.VALS_TIMEOUT;
        return { value: parseNamed('VALS_TIMEOUT', () => parseSeconds(text)), source: 'VALS_TIMEOUT' };
      }
      return { value: 60, source: 'default' };
    },
    get debug() {
      return onOff(flags.debug, '--debug', 'VALS_DEBUG', env);
    },
    get allowHttp() {
      return onOff(flags.allowHttp, '--allow-http', 'VALS_ALLOW_HTTP', env);
    },
    get proxy() {
      return {
        https: proxyVariable(env, 'https_proxy'),
        http: proxyVariable(env, 'http_proxy'),
        none: proxyVariable(env, 'no_proxy'),
      };
    },
    get configDirectory() {
      return directory(host, 'VALS_CONFIG_DIR', 'config');
    },
    get dataDirectory() {
      return directory(host, 'VALS_DATA_DIR', 'data');
    },
    get configFile() {
      return fileIn(settings.configDirectory, 'config.json', 'VALS_CONFIG_DIR', system);
    },
    get dataFile() {
      return fileIn(settings.dataDirectory, 'vals.db', 'VALS_DATA_DIR', system);
    },
  };
  return settings;
}

export const isOn = (text = ''): boolean => ['1', 'true'].includes(text.toLowerCase());

function onOff(
  flag: boolean | undefined,
  flagName: string,
  variable: string,
  env: NodeJS.ProcessEnv,
): Setting<boolean> {
  if (flag !== undefined) return { value: flag, source: flagName };
  if (isOn(env[variable])) return { value: true, source: variable };
  switch (env[variable]?.toLowerCase()) {
    case undefined:
    case '':
      return { value: false, source: 'default' };
    case '0':
    case 'false':
      return { value: false, source: variable };
    default:
      throw new UsageError(`${variable} must be 1 or 0, not "${env[variable]}".`, {
        hint: `Set ${variable} to 1 or 0, or remove the variable.`,
      });
  }
}

/** The lowercase variable overrides the uppercase one, as in curl and undici. */
function proxyVariable(env: NodeJS.ProcessEnv, name: string): Setting<string> | undefined {
  const source = [name, name.toUpperCase()].find((spelling) => env[spelling]);
  return source === undefined ? undefined : { value: env[source] ?? '', source };
}

function directory(
  host: SettingsHost,
  variable: string,
  kind: 'config' | 'data',
): Setting<string> | undefined {
  const { env, system } = host;
  const chosen = env[variable];
  if (chosen) return { value: resolve(host.cwd(), chosen), source: variable };
  const value = platformDirectories(env, system.platform)[kind];
  return value === undefined ? undefined : { value, source: 'default' };
}

function fileIn(
  folder: Setting<string> | undefined,
  name: string,
  variable: string,
  { platform }: System,
): string {
  if (folder !== undefined) return join(folder.value, name);
  const { home } = wordsOf(platform);
  throw new LocalError(`There is no home directory: ${home} is empty or not an absolute path.`, {
    hint: `Set ${home}, or set ${variable} to a folder.`,
  });
}

export const longestTimeout = 86_400;

export function parseSeconds(text: string): number {
  const seconds = Number(text);
  if (text.trim() === '' || !(seconds > 0 && seconds <= longestTimeout)) {
    throw new InvalidValue(
      `must be a number of seconds above 0 and up to ${longestTimeout}, not "${text}".`,
      'For example 30.',
    );
  }
  return seconds;
}

/** vals sends the token in a header, so the token may contain only visible ASCII. */
export function checkToken(token: string, source: string): string {
  if (!/^[\x21-\x7e]+$/.test(token)) {
    throw new UsageError(`The token from ${source} contains invalid characters.`, {
      hint: 'Copy the token again, without spaces or line breaks.',
    });
  }
  return token;
}

export function chosenBaseUrl(settings: Settings): BaseUrl {
  const { baseUrl } = settings;
  if (baseUrl !== undefined) return baseUrl.value;
  const isEmpty = settings.isEmpty('VALS_BASE_URL');
  throw new UsageError(`No service is chosen${isEmpty ? ': VALS_BASE_URL is set, but empty' : ''}.`, {
    hint: [
      ...(isEmpty ? ['In CI, check the name of the variable.'] : []),
      'To use the embedded service on this machine (VALS_LOCAL=1), add --local.',
      sh`To sign in to a service, run ${['login', '<base-url>']}.`,
      'Or give --base-url (VALS_BASE_URL).',
    ],
  });
}
