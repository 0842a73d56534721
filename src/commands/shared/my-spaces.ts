// The spaces that the caller is a member of, where the service has any.
import { textAt } from '../../api/records.ts';
import * as routes from '../../api/routes.ts';
import type { Context } from '../../cli/context.ts';
import { InterruptedError, NotFoundError, RefusedError, UsageError, ValsError } from '../../errors.ts';
import { type BaseUrl, spaceIn } from '../../settings/base-url.ts';

interface MySpace {
  baseUrl: string;
  role: string;
}

export interface MySpaces {
  service: BaseUrl;
  spaces: MySpace[];
}

type SpacesContext = Pick<Context, 'connect' | 'settings' | 'say' | 'clock'>;

/** The list is a help, so nobody waits long for it. */
const mostMs = 2_000;

/** Undefined if the service has no spaces, or cannot be asked now. */
export async function listSpaces(
  { connect, settings, say, clock }: SpacesContext,
  baseUrl: BaseUrl,
  token: string | undefined,
): Promise<MySpaces | undefined> {
  if (settings.local.value || token === undefined) return undefined;
  const service = spaceIn(baseUrl)?.service ?? baseUrl;
  try {
    const api = await connect({ baseUrl: service, token, mostMs });
    const spaces: MySpace[] = [];
    const began = clock.now();
    for await (const { records } of api.pages(routes.mySpaces())) {
      for (const record of records) {
        const name = textAt(record, 'username');
        // The address is made here: the service could name another one.
        if (name) {
          spaces.push({
            baseUrl: `${service.href}/@${encodeURIComponent(name)}`,
            role: textAt(record, 'role') ?? '',
          });
        }
      }
      if (clock.now() - began > mostMs) {
        say.warn(`${service.href} did not send the whole list of your spaces in time.`);
        break;
      }
    }
    return { service, spaces };
  } catch (error) {
    if (error instanceof NotFoundError || error instanceof RefusedError) return undefined;
    if (error instanceof InterruptedError || !(error instanceof ValsError)) throw error;
    say.warn(`vals could not list your spaces on ${service.href}: ${error.message}`);
    return undefined;
  }
}

/** Of the service in force. A base URL or token that cannot be used is no reason to show nothing else. */
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
