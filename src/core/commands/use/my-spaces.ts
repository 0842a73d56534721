import type { Run } from '../../command-line/command.ts';
import { InterruptedError, NotFoundError, RefusedError, ValsError } from '../../errors.ts';
import { textAt } from '../../http/record-fields.ts';
import { hasLoneSurrogate } from '../../lib/visible.ts';
import * as routes from '../../routes.ts';
import { type BaseUrl, spaceIn } from '../../settings/base-url.ts';

interface MySpace {
  baseUrl: string;
  role: string;
}

export interface MySpaces {
  service: BaseUrl;
  spaces: MySpace[];
}

type SpacesContext = Pick<Run, 'api' | 'settings' | 'out'>;

/** `vals use` works without the spaces, so it does not wait long for them. */
const mostMs = 2_000;

interface Place {
  baseUrl: BaseUrl;
  token: string | undefined;
}

/** Without a place, the spaces of the service in use. Undefined if they cannot be listed. */
export async function listSpaces(run: SpacesContext, place?: Place): Promise<MySpaces | undefined> {
  const {
    settings,
    out: { say },
  } = run;
  if (settings.local.value) return undefined;
  try {
    const { baseUrl, token } = place ?? { baseUrl: settings.baseUrl?.value, token: settings.token?.value };
    if (baseUrl === undefined || token === undefined) return undefined;
    const service = spaceIn(baseUrl)?.service ?? baseUrl;
    return { service, spaces: await readSpaces(run, service, token) };
  } catch (error) {
    if (error instanceof NotFoundError || error instanceof RefusedError) return undefined;
    if (error instanceof InterruptedError || !(error instanceof ValsError)) throw error;
    say({ kind: 'warning', text: `Your spaces could not be listed: ${error.message}` });
    return undefined;
  }
}

async function readSpaces(
  { api: connect }: SpacesContext,
  service: BaseUrl,
  token: string,
): Promise<MySpace[]> {
  const api = await connect({ baseUrl: service, token, mostMs });
  const spaces: MySpace[] = [];
  for await (const { records } of api.pages(routes.mySpaces())) {
    for (const record of records) {
      const name = textAt(record, 'username');
      if (!name || hasLoneSurrogate(name)) continue;
      // The address that the service sends for a space must not be used, because it may belong to another host.
      const baseUrl = `${service.href}/@${encodeURIComponent(name)}`;
      spaces.push({ baseUrl, role: textAt(record, 'role') ?? '' });
    }
  }
  return spaces;
}
