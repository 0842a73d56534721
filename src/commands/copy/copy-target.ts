import type { Api } from '../../api/api.ts';
import type { Context } from '../../cli/context.ts';
import { AuthError, UsageError } from '../../errors.ts';
import type { Hints } from '../../lib/hint.ts';
import { noSeenVals } from '../../names/seen-vals.ts';
import { addressOfSpace, parseBaseUrl } from '../../settings/base-url.ts';
import { checkToken } from '../../settings/settings.ts';
import { createRemoteVals, type RemoteVals } from '../../workspace/remote-vals.ts';

export interface Destination {
  api: Api;
  vals: RemoteVals;
  name: string;
  /** Set if the service ignored the privacy of this val. Then it gets no other val that is not public. */
  valMadePublic?: string;
}

export async function openTarget(context: Context, to: string, count: number): Promise<Destination> {
  const { settings, env, clock } = context;
  const address = to.startsWith('@') ? addressOfSpace(to, settings.baseUrl?.value.href) : to;
  const baseUrl = parseBaseUrl(address, '--to', settings.allowHttp.value);
  if (!settings.local.value && settings.baseUrl?.value.href === baseUrl.href) {
    throw new UsageError(`The vals cannot be copied from ${baseUrl.href} to the same service.`, {
      hint: 'Give another service with --to, or give the service to copy from with --base-url.',
    });
  }
  const tokenFromEnvironment = env.VALS_TO_TOKEN?.trim();
  // The token of the current service must not be sent to `baseUrl`, because another service could misuse the token.
  const token = tokenFromEnvironment
    ? checkToken(tokenFromEnvironment, 'VALS_TO_TOKEN')
    : settings.storedToken(baseUrl.origin)?.value;
  const hint: Hints = [
    { text: 'To sign in', command: 'login', input: { baseUrl: baseUrl.href } },
    'Or set VALS_TO_TOKEN to a token of that service.',
  ];
  if (token === undefined) throw new AuthError(`There is no token for ${baseUrl.origin}.`, { hint });
  const signInHint = tokenFromEnvironment ? 'Set VALS_TO_TOKEN to a token of that service.' : hint;
  const api = await context.connect({ baseUrl, token, signInHint });
  const lookup = { api, seen: noSeenVals, clock, settings };
  return { api, vals: createRemoteVals(lookup, count), name: baseUrl.href };
}
