import { textAt } from '../../api/record-fields.ts';
import * as routes from '../../api/routes.ts';
import type { Context } from '../../cli/context.ts';
import { InterruptedError, NotFoundError, RefusedError, UsageError, ValsError } from '../../errors.ts';
import { hasLoneSurrogate } from '../../lib/visible.ts';
import { type BaseUrl, spaceIn } from '../../settings/base-url.ts';

interface MySpace {
  baseUrl: string;
  role: string;
}

export interface MySpaces {
  service: BaseUrl;
  spaces: MySpace[];
}

type SpacesContext = Pick<Context, 'connect' | 'settings' | 'say'>;

/** `vals use` works without the spaces, so it does not wait long for them. */
const mostMs = 2_000;

export async function listSpaces(
  { connect, settings, say }: SpacesContext,
  baseUrl: BaseUrl,
  token: string | undefined,
): Promise<MySpaces | undefined> {
  if (settings.local.value || token === undefined) return undefined;
  const service = spaceIn(baseUrl)?.service ?? baseUrl;
  try {
    const api = await connect({ baseUrl: service, token, mostMs });
    const spaces: MySpace[] = [];
    for await (const { records } of api.pages(routes.mySpaces())) {
      for (const record of records) {
        const name = textAt(record, 'username');
        if (name && !hasLoneSurrogate(name)) {
          spaces.push({
            // The address that the service sends for a space must not be used, because the address may belong to
            // another host.
            baseUrl: `${service.href}/@${encodeURIComponent(name)}`,
            role: textAt(record, 'role') ?? '',
          });
        }
      }
    }
    return { service, spaces };
  } catch (error) {
    if (error instanceof NotFoundError || error instanceof RefusedError) return undefined;
    if (error instanceof InterruptedError || !(error instanceof ValsError)) throw error;
    say({ kind: 'warning', text: `Your spaces on ${service.href} could not be listed: ${error.message}` });
    return undefined;
  }
}

export async function listSpacesInForce(context: SpacesContext): Promise<MySpaces | undefined> {
  const { settings } = context;
  try {
    const inForce = settings.baseUrl?.value;
    return inForce && (await listSpaces(context, inForce, settings.token?.value));
  } catch (error) {
    if (error instanceof UsageError) return undefined;
    throw error;
  }
}
