import type { Context } from '../../command-line/command.ts';
import { isOn } from '../../settings/settings.ts';

/** These variables count more than what `vals login`, `vals logout` and `vals use` store. */
const consequences = {
  VALS_TOKEN: 'commands use the token in VALS_TOKEN instead of the stored token.',
  VALS_BASE_URL: 'commands use the service in VALS_BASE_URL instead of the default service.',
  VALS_LOCAL: 'commands use the embedded service. To use the default service, run `unset VALS_LOCAL`.',
};

export function warnIfSet(
  { host: { env }, out: { say } }: Pick<Context, 'host' | 'out'>,
  variable: keyof typeof consequences,
): void {
  const isSet = variable === 'VALS_LOCAL' ? isOn(env.VALS_LOCAL) : Boolean(env[variable]);
  if (isSet) say({ kind: 'warning', text: `${variable} is set, so ${consequences[variable]}` });
}
