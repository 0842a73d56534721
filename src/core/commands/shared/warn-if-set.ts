import type { Context } from '../../command-line/command.ts';
import { unsetVariable } from '../../command-line/shell-command.ts';
import { isOn } from '../../settings/settings.ts';

/** These variables count more than what `vals login`, `vals logout` and `vals use` store. */
const consequences = {
  VALS_TOKEN: 'commands use the token in VALS_TOKEN instead of the stored token.',
  VALS_BASE_URL: 'commands use the service in VALS_BASE_URL instead of the default service.',
  VALS_LOCAL: 'commands use the embedded service.',
};

export function warnIfSet(
  { host: { env, system }, out: { say } }: Pick<Context, 'host' | 'out'>,
  variable: keyof typeof consequences,
): void {
  const isSet = variable === 'VALS_LOCAL' ? isOn(env.VALS_LOCAL) : Boolean(env[variable]);
  if (!isSet) return;
  const text = `${variable} is set, so ${consequences[variable]}`;
  const unset = `To use the default service, run \`${unsetVariable(system.platform, variable)}\`.`;
  say({ kind: 'warning', text: variable === 'VALS_LOCAL' ? [text, unset] : text });
}
