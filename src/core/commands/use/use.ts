import { defineCommand } from '../../command-line/command.ts';
import { text } from '../../command-line/value-types.ts';
import { NotFoundError, UsageError } from '../../errors.ts';
import type { JsonObject } from '../../lib/json.ts';
import { warnWith } from '../../lib/say.ts';
import { column } from '../../output/column.ts';
import { addressOfSpace, parseBaseUrl, placesAt, spaceIn, withScheme } from '../../settings/base-url.ts';
import { readConfig, type StoredConfig, usedIn, withDefault } from '../../settings/config-file.ts';
import { warnIfSet } from '../shared/warn-if-set.ts';
import { listSpaces, type MySpaces } from './my-spaces.ts';

export const command = defineCommand({
  summary: 'Show your services, or change the default service',
  description:
    'Show the services that this machine is signed in to, with the default marked, and your spaces on the service in ' +
    'use. With a base URL, make that service or space the default. --base-url, VALS_BASE_URL and --local override the default.',
  arguments: {
    baseUrl: {
      description: 'the base URL or host of a service, or the name of a space',
      value: text('base-url'),
      optional: true,
    },
  },
  examples: ['vals use', 'vals use https://api.example.com', 'vals use @acme'],
  columns: [
    { ...column('default'), present: (isDefault) => ({ text: isDefault === 'true' ? '*' : '' }) },
    { ...column('base url', 'baseUrl'), neverCut: true },
    { ...column('role'), only: 'terminal', droppable: 1 },
  ],
  empty: [
    'You are not signed in to a service yet.',
    { text: 'To sign in', command: 'login', input: { baseUrl: true } },
  ],
  async run(run, { baseUrl: wanted }) {
    const {
      settings,
      out: { say },
    } = run;
    if (wanted === undefined) {
      const { configDirectory } = settings;
      const config = configDirectory
        ? readConfig(settings.configFile, settings.system, warnWith(say))
        : { tokens: {} };
      warnIfSet(run, 'VALS_LOCAL');
      return { kind: 'list', rows: services(config, await listSpaces(run)) };
    }
    const known = readConfig(settings.configFile, settings.system, warnWith(say));
    const baseUrl = parseBaseUrl(addressOf(wanted, known), 'the command line', settings.allowHttp.value);
    const { origin, href } = baseUrl;
    if (!Object.hasOwn(known.tokens, origin)) throw notSignedIn(href, known);
    const listed = spaceIn(baseUrl) && (await listSpaces(run, { baseUrl, token: known.tokens[origin] }));
    if (listed && !listed.spaces.some((space) => space.baseUrl === href)) throw notAMember(href, listed);
    const { updateConfig } = await import('../../settings/config-update.ts');
    let changed: StoredConfig = known;
    updateConfig(run, (config) => {
      changed = withDefault(config, href);
      return changed;
    });
    warnIfSet(run, 'VALS_BASE_URL');
    warnIfSet(run, 'VALS_LOCAL');
    say({ kind: 'done', text: `The default service is now ${href}.` });
    return { kind: 'list', rows: services(changed, listed) };
  },
});

/** The whole address for what was typed: a base URL, a host, or the name of a space with or without @. */
function addressOf(wanted: string, config: StoredConfig): string {
  if (wanted.includes('://')) return wanted;
  const used = usedIn(config);
  const name = wanted.replace(/^@/, '');
  const asHost = wanted.startsWith('@') ? [] : placesOfHost(wanted, config);
  const asSpace = used.filter((href) => href.endsWith(`/@${name}`));
  const known = [...new Set([...asHost, ...asSpace])];
  const [only] = known;
  if (only !== undefined && known.length === 1) return only;
  if (only === undefined) {
    const mayBeSpace = wanted.startsWith('@') || (config.baseUrl !== undefined && /^[\w-]+$/.test(wanted));
    if (!mayBeSpace) throw notSignedIn(wanted, config);
    return addressOfSpace(`@${name}`, config.baseUrl);
  }
  throw new UsageError(`${wanted} is ambiguous: it may be ${known.join(' or ')}.`, {
    hint: { text: 'To name one of them', command: 'use', input: { baseUrl: only } },
  });
}

/** Without a path, a host stands for the base URL that was used last there, and not for one of its spaces. */
function placesOfHost(wanted: string, config: StoredConfig): string[] {
  const [host = '', path = ''] = wanted.split(/(?=\/)(.*)/s);
  const origins = Object.keys(config.tokens).filter((origin) => origin.endsWith(`://${host}`));
  return origins.map((origin) => {
    if (path !== '') return origin + path;
    const own = placesAt(origin, usedIn(config)).filter((href) => !/\/@[^/]+$/.test(href));
    return own.at(-1) ?? origin;
  });
}

function services(config: StoredConfig, listed?: MySpaces): JsonObject[] {
  const { baseUrl, tokens } = config;
  const origins = new Set([...Object.keys(tokens), ...(listed ? [listed.service.origin] : [])]);
  const roles = new Map(listed?.spaces.map((space) => [space.baseUrl, space.role]));
  return [...origins].flatMap((origin) => {
    const used = placesAt(origin, usedIn(config));
    const inForce = listed?.service.origin === origin ? [listed.service.href, ...roles.keys()] : [];
    const places = [...new Set([...used, ...inForce])].sort();
    return (places.length === 0 ? [origin] : places).map((place) => ({
      default: place === baseUrl,
      baseUrl: place,
      ...(roles.has(place) && { role: roles.get(place) ?? '' }),
    }));
  });
}

function notAMember(href: string, { service, spaces }: MySpaces): NotFoundError {
  const known = spaces.map(({ baseUrl }) => baseUrl);
  return new NotFoundError(`There is no space at ${href}, or you are not a member of that space.`, {
    hint:
      known.length > 0
        ? `Use one of your spaces: ${known.join(', ')}.`
        : `You have no spaces on ${service.href}. To become a member of a space, ask the person who runs the service.`,
  });
}

function notSignedIn(href: string, config: StoredConfig): UsageError {
  const known = services(config).map(({ baseUrl }) => baseUrl);
  const others = known.length === 0 ? '' : ` You are signed in to ${known.join(', ')}.`;
  const address = href.includes('://') ? href : withScheme(href);
  return new UsageError(`You are not signed in to ${href}.${others}`, {
    hint: { text: 'To sign in', command: 'login', input: { baseUrl: address } },
  });
}
