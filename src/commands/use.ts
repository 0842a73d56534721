import { argument, defineCommand } from '../cli/command.ts';
import { UsageError } from '../errors.ts';
import type { JsonObject } from '../lib/json.ts';
import { shell } from '../lib/shell-command.ts';
import { parseBaseUrl } from '../settings/base-url.ts';
import { readConfig, type StoredConfig } from '../settings/config-file.ts';
import { column } from '../terminal/column.ts';

export const command = defineCommand({
  summary: 'Show the services you are signed in to, or switch',
  description:
    'Show the services that this machine is signed in to, the default one marked; with a base URL, make that one the ' +
    'default. --base-url, VALS_BASE_URL and --local still come before it.',
  arguments: { baseUrl: argument('[base-url]', 'one that you are signed in to') },
  examples: ['vals use', 'vals use https://api.example.com'],
  columns: [
    { ...column('default'), present: (isDefault) => ({ text: isDefault === 'true' ? '*' : '' }) },
    column('base url', 'baseUrl'),
  ],
  empty: 'You are signed in to no service yet: `vals login --base-url URL`.',
  async run(context, { baseUrl: wanted }) {
    const { settings, env, say } = context;
    if (wanted === undefined) {
      const { configDirectory } = settings;
      const rows = configDirectory
        ? services(readConfig(settings.configFile, settings.system, say.warn))
        : [];
      return { kind: 'list', rows };
    }
    const { origin, href } = parseBaseUrl(wanted, 'the command line', settings.allowHttp.value);
    const known = readConfig(settings.configFile, settings.system, say.warn);
    if (!Object.hasOwn(known.tokens, origin)) throw notSignedIn(href, known);
    const { updateConfig } = await import('../settings/config-update.ts');
    let changed: StoredConfig = known;
    await updateConfig(context, (config) => {
      changed = { ...config, baseUrl: href };
      return changed;
    });
    if (env.VALS_BASE_URL) say.warn('VALS_BASE_URL is set and comes before what was chosen now.');
    say.hint(`${href} is the default now.`);
    return { kind: 'list', rows: services(changed) };
  },
});

/** A token belongs to an origin. Only the default has a path. */
function services({ baseUrl, tokens }: StoredConfig): JsonObject[] {
  const isBelow = (origin: string) => baseUrl !== undefined && `${baseUrl}/`.startsWith(`${origin}/`);
  return Object.keys(tokens).map((origin) =>
    isBelow(origin) ? { default: true, baseUrl: baseUrl as string } : { default: false, baseUrl: origin },
  );
}

const notSignedIn = (href: string, config: StoredConfig): UsageError => {
  const known = services(config).map(({ baseUrl }) => baseUrl);
  return new UsageError(
    `You are not signed in to ${href}${known.length > 0 ? `, but to ${known.join(', ')}` : ''}.`,
    { hint: `${shell`vals login --base-url ${href}`} signs in to it.` },
  );
};
