import type { Context } from '../../command-line/command.ts';
import { InterruptedError, ValsError } from '../../errors.ts';
import { ifRouteExists } from '../../http/api.ts';
import { textAt } from '../../lib/json.ts';
import { hasLoneSurrogate } from '../../lib/visible.ts';
import * as routes from '../../routes.ts';
import { type BaseUrl, spaceIn } from '../../settings/addresses.ts';
import { chosenBaseUrl } from '../../settings/settings.ts';

interface MySpace {
  baseUrl: string;
  role: string;
}

export interface MySpaces {
  service: BaseUrl;
  spaces: MySpace[];
}

/** The spaces of the service in force. Undefined if it has none. */
export async function listSpaces(
  context: Pick<Context, 'api' | 'settings'>,
  limit: { mostMs?: number } = {},
): Promise<MySpaces | undefined> {
  const baseUrl = chosenBaseUrl(context.settings);
  const service = spaceIn(baseUrl)?.service ?? baseUrl;
  const api = await context.api({ ...limit, baseUrl: service });
  return ifRouteExists(async () => {
    const spaces: MySpace[] = [];
    for await (const { records } of api.pages(routes.mySpaces())) {
      for (const record of records) {
        const name = textAt(record, 'username');
        if (!name || hasLoneSurrogate(name)) continue;
        // The address that the service sends for a space must not be used, because it may belong to another host.
        const href = `${service.href}/@${encodeURIComponent(name)}`;
        spaces.push({ baseUrl: href, role: textAt(record, 'role') ?? '' });
      }
    }
    return { service, spaces };
  });
}

/** The list of services works without the spaces, so it does not wait long for them. */
const mostMs = 2_000;

export async function spacesToShow({ settings, api, out }: Context): Promise<MySpaces | undefined> {
  try {
    if (settings.local.value || settings.token === undefined) return undefined;
    return await listSpaces({ settings, api }, { mostMs });
  } catch (error) {
    if (error instanceof InterruptedError || !(error instanceof ValsError)) throw error;
    out.say({ kind: 'warning', text: `Your spaces could not be listed: ${error.message}` });
    return undefined;
  }
}
