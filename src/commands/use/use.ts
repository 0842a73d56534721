import { defineCommand } from '../../cli/command.ts';
import { baseUrl } from '../../cli/value-types.ts';
import { NotFoundError, UsageError } from '../../errors.ts';
import type { JsonObject } from '../../lib/json.ts';
import { warnWith } from '../../lib/say.ts';
import { addressOfSpace, hasOrigin, parseBaseUrl, spaceIn } from '../../settings/base-url.ts';
import { readConfig, type StoredConfig } from '../../settings/config-file.ts';
import { column } from '../../terminal/column.ts';
import { warnIfLocalIsSet } from '../shared/notes.ts';
import { listSpaces, listSpacesInForce, type MySpaces } from './my-spaces.ts';

export const command = defineCommand({
  summary: 'Show your services, or change the default service',
  description:
    'Show the services that this machine is signed in to, with the default marked, and your spaces on the service in ' +
    'use. With a base URL, make that service or space the default. --base-url, VALS_BASE_URL and --local override the default.',
  arguments: {
    baseUrl: {
      description: 'the base URL of a service or space, or @name for a space of the default service',
      value: baseUrl(),
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
  async run(context, { baseUrl: wanted }) {
    const { settings, env, say } = context;
    if (wanted === undefined) {
      const { configDirectory } = settings;
      const config = configDirectory
        ? readConfig(settings.configFile, settings.system, warnWith(say))
        : { tokens: {} };
      warnIfLocalIsSet(context);
      return { kind: 'list', rows: services(config, await listSpacesInForce(context)) };
    }
    const known = readConfig(settings.configFile, settings.system, warnWith(say));
    const baseUrl = parseBaseUrl(
      wanted.includes('://') ? wanted : withScheme(wanted, known),
      'the command line',
      settings.allowHttp.value,
    );
    const { origin, href } = baseUrl;
    if (!Object.hasOwn(known.tokens, origin)) throw notSignedIn(href, known);
    const listed = spaceIn(baseUrl) && (await listSpaces(context, baseUrl, known.tokens[origin]));
    if (listed && !listed.spaces.some((space) => space.baseUrl === href)) throw notAMember(href, listed);
    const { updateConfig } = await import('../../settings/config-update.ts');
    let changed: StoredConfig = known;
    await updateConfig(context, (config) => {
      changed = { ...config, baseUrl: href };
      return changed;
    });
    if (env.VALS_BASE_URL)
      say({
        kind: 'warning',
        text: 'VALS_BASE_URL is set, so commands use the service in VALS_BASE_URL instead of the default service.',
      });
    warnIfLocalIsSet(context);
    say({ kind: 'done', text: `The default service is now ${href}.` });
    return { kind: 'list', rows: services(changed, listed) };
  },
});

function withScheme(wanted: string, config: StoredConfig): string {
  if (wanted.startsWith('@')) return addressOfSpace(wanted, config.baseUrl);
  const [host = '', path = ''] = wanted.split(/(?=\/)(.*)/s);
  const found = Object.keys(config.tokens).filter((origin) => origin.endsWith(`://${host}`));
  const [only] = found;
  if (only === undefined) throw notSignedIn(wanted, config);
  if (found.length === 1) return only + path;
  throw new UsageError(`${wanted} is ambiguous: it may be ${found.join(' or ')}.`, {
    hint: { text: 'To name one of them', command: 'use', input: { baseUrl: only + path } },
  });
}

function services({ baseUrl, tokens }: StoredConfig, listed?: MySpaces): JsonObject[] {
  const origins = new Set([...Object.keys(tokens), ...(listed ? [listed.service.origin] : [])]);
  return [...origins].flatMap((origin) => {
    const known = baseUrl !== undefined && hasOrigin(baseUrl, origin) ? baseUrl : origin;
    const asRow = (place: { baseUrl: string }) => ({ default: place.baseUrl === baseUrl, ...place });
    if (listed?.service.origin !== origin) return [asRow({ baseUrl: known })];
    const places = [{ baseUrl: listed.service.href }, ...listed.spaces];
    const isListed = known === origin || places.some((place) => place.baseUrl === known);
    return (isListed ? places : [{ baseUrl: known }, ...places]).map(asRow);
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
  const address = href.includes('://') ? href : `https://${href}`;
  return new UsageError(`You are not signed in to ${href}.${others}`, {
    hint: { text: 'To sign in', command: 'login', input: { baseUrl: address } },
  });
}
