import type { Context } from '../../cli/context.ts';
import { isOn } from '../../settings/settings.ts';

export function warnIfLocalIsSet({ env, say }: Pick<Context, 'env' | 'say'>): void {
  if (!isOn(env.VALS_LOCAL)) return;
  say({
    kind: 'warning',
    text: 'VALS_LOCAL is set, so commands use the embedded service. To use the default service, run `unset VALS_LOCAL`.',
  });
}
