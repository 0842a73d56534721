import { type Context, defineCommand } from '../../command-line/command.ts';
import { text } from '../../command-line/value-types.ts';
import { NotFoundError, UsageError } from '../../errors.ts';
import { sh } from '../../lib/hint.ts';
import type { JsonObject } from '../../lib/json.ts';
import { column } from '../../output/column.ts';
import { hasOrigin, parseBaseUrl, withScheme } from '../../settings/addresses.ts';
import { type StoredConfig, updateConfig } from '../../settings/config-file.ts';
import { warnIfSet } from '../shared/options.ts';
import { listSpaces, type MySpaces, spacesToShow } from './my-spaces.ts';

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
  empty: ['You are not signed in to a service yet.', sh`To sign in, run ${['login', '<base-url>']}.`],
  async run(context, { baseUrl: wanted }) {
    const { settings, out } = context;
    if (wanted === undefined) {
      const config = settings.configDirectory ? settings.readConfig() : { tokens: {} };
      warnIfSet(context, 'VALS_LOCAL');
      return { kind: 'list', rows: services(config, await spacesToShow(context)) };
    }
    const { href, listed } = await chosen(context, wanted);
    const config = await updateConfig(settings, (before) => ({ ...before, baseUrl: href }));
    warnIfSet(context, 'VALS_BASE_URL');
    warnIfSet(context, 'VALS_LOCAL');
    out.say({ kind: 'done', text: `The default service is now ${href}.` });
    return { kind: 'list', rows: services(config, listed) };
  },
});

/** A base URL, or the name of a space of the service in force, with or without @. */
async function chosen(context: Context, wanted: string): Promise<{ href: string; listed?: MySpaces }> {
  const { settings } = context;
  const config = settings.readConfig();
  if (withScheme(wanted).includes('://')) {
    const { origin, href } = parseBaseUrl(wanted, 'the command line', settings.allowHttp.value);
    if (!Object.hasOwn(config.tokens, origin)) throw notSignedIn(href, config);
    return { href };
  }
  const name = wanted.replace(/^@/, '');
  const listed = await listSpaces(context);
  if (listed === undefined)
    throw new NotFoundError(`This service has no spaces, so ${wanted} is not one.`, {
      hint: sh`To see what you can use, run ${['use']}.`,
    });
  const href = `${listed.service.href}/@${encodeURIComponent(name)}`;
  if (listed.spaces.some(({ baseUrl }) => baseUrl === href)) return { href, listed };
  const known = [...services(config, listed)].map(({ baseUrl }) => baseUrl).join(', ');
  throw new UsageError(`${wanted} is no base URL, and no space of yours on ${listed.service.href}.`, {
    hint: `You can use ${known}.`,
  });
}

/** The services that this machine is signed in to, and the spaces of the one in force. */
function services({ baseUrl, tokens }: StoredConfig, listed?: MySpaces): JsonObject[] {
  const row = (place: string, role?: string): JsonObject => ({
    default: place === baseUrl,
    baseUrl: place,
    ...(role !== undefined && { role }),
  });
  const origins = new Set([...Object.keys(tokens), ...(listed ? [listed.service.origin] : [])]);
  return [...origins].flatMap((origin) => {
    const roles = new Map(
      listed?.service.origin === origin ? listed.spaces.map((each) => [each.baseUrl, each.role]) : [],
    );
    const inForce = listed?.service.origin === origin ? listed.service.href : undefined;
    const isDefaultHere = baseUrl !== undefined && hasOrigin(baseUrl, origin) && !roles.has(baseUrl);
    const service = inForce ?? (isDefaultHere ? baseUrl : origin);
    const places = isDefaultHere ? new Set([service, baseUrl]) : [service];
    return [
      ...[...places].map((place) => row(place)),
      ...[...roles].map(([place, role]) => row(place, role)),
    ];
  });
}

function notSignedIn(href: string, config: StoredConfig): UsageError {
  const known = services(config).map(({ baseUrl }) => baseUrl);
  const others = known.length === 0 ? '' : ` You are signed in to ${known.join(', ')}.`;
  return new UsageError(`You are not signed in to ${href}.${others}`, {
    hint: sh`To sign in, run ${['login', href]}.`,
  });
}
