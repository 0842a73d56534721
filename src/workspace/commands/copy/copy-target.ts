import type { Context } from '../../../core/command-line/command.ts';
import { AuthError, UsageError } from '../../../core/errors.ts';
import { createSeenVals, type SeenVals } from '../../../core/find-val/seen-vals.ts';
import { createValList } from '../../../core/find-val/val-list.ts';
import type { Api } from '../../../core/http/api.ts';
import { type Hints, sh } from '../../../core/lib/hint.ts';
import { parseBaseUrl } from '../../../core/settings/addresses.ts';
import { checkToken } from '../../../core/settings/settings.ts';
import { createRemotes, nothingKnown, type Remotes } from '../../read/remotes.ts';

export interface CopyTarget {
  api: Api;
  name: string;
  remotes: Remotes;
  /** Without a list, this finds the copies that this machine made. */
  seen: SeenVals;
}

export async function openTarget(context: Context, to: string): Promise<CopyTarget> {
  const {
    settings,
    host: { env },
  } = context;
  const baseUrl = parseBaseUrl(to, '--to', settings.allowHttp.value);
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
    sh`To sign in, run ${['login', baseUrl.href]}.`,
    'Or set VALS_TO_TOKEN to a token of that service.',
  ];
  if (token === undefined) throw new AuthError(`There is no token for ${baseUrl.origin}.`, { hint });
  const signInHint = tokenFromEnvironment ? 'Set VALS_TO_TOKEN to a token of that service.' : hint;
  const source = '--to';
  const seen = createSeenVals(
    {
      dataDirectory: settings.dataDirectory,
      local: { value: false, source },
      baseUrl: { value: baseUrl, source },
      token: { value: token, source },
    },
    (text) => context.out.redact(text) !== text,
  );
  const api = await context.api({ baseUrl, token, seen, signInHint });
  const valList = createValList(async () => api, seen);
  const remotes = createRemotes({ api, seen, valList }, nothingKnown, Number.POSITIVE_INFINITY);
  return { api, name: baseUrl.href, remotes, seen };
}
