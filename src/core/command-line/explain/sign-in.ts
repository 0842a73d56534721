import { type Hints, sh } from '../../lib/hint.ts';
import type { BaseUrl } from '../../settings/base-url.ts';
import type { Settings } from '../../settings/settings.ts';

/** What to do without a token, or with one that the service does not accept. */
export function hintToSignIn(settings: Settings, { href }: BaseUrl, isNewToken: boolean): Hints {
  if (isNewToken) return 'Nothing was stored. Check the token, then sign in again.';
  const { token } = settings;
  if (token === undefined && settings.isEmpty('VALS_TOKEN')) {
    return 'VALS_TOKEN is set, but empty. In CI, check the name of the secret.';
  }
  if (token?.source === 'VALS_TOKEN') return 'Set VALS_TOKEN to a token of the service.';
  return [sh`To sign in, run ${['login', href]}.`, 'Or set VALS_TOKEN.'];
}

/** Where `vals serve` hands out its tokens. */
export const tokensOfServe: Hints = [
  sh`To make another token where you are signed in, run ${['token', 'add', '<name>']}.`,
  sh`To replace a lost token on the machine of the service, run ${['user', 'token', '<username>']}.`,
];
