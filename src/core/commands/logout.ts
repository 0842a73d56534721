import { defineCommand } from '../command-line/command.ts';
import { UsageError } from '../errors.ts';
import { sh } from '../lib/hint.ts';
import { column } from '../output/column.ts';
import { hasOrigin } from '../settings/addresses.ts';
import { updateConfig } from '../settings/config-file.ts';
import { warnIfSet } from './shared/options.ts';

export const command = defineCommand({
  summary: 'Sign out of a service: remove its token',
  description:
    'Remove the stored token of a service. The token stays valid until the service revokes it. If the service was the ' +
    'default and only one other service is left, that service becomes the default.',
  examples: ['vals logout', 'vals logout --base-url https://api.example.com'],
  columns: [column('status'), column('base url', 'baseUrl')],
  async run(context) {
    const {
      settings,
      out: { say },
    } = context;
    const baseUrl = settings.baseUrl?.value;
    if (baseUrl === undefined) {
      throw new UsageError('No service was given, and there is no default service to sign out of.', {
        hint: sh`To name the service, run ${['logout', '--base-url', '<url>']}.`,
      });
    }
    let wasSignedIn = false;
    let defaultNow = '';
    let others = 0;
    await updateConfig(settings, (config) => {
      const { [baseUrl.origin]: forgotten, ...tokens } = config.tokens;
      wasSignedIn = forgotten !== undefined;
      if (!hasOrigin(config.baseUrl, baseUrl.origin)) {
        defaultNow = config.baseUrl === undefined ? '' : `The default service is still ${config.baseUrl}.`;
        return { ...config, tokens };
      }
      const left = Object.keys(tokens);
      const next = left.length === 1 ? left[0] : undefined;
      defaultNow =
        next === undefined ? 'There is no default service now.' : `The default service is now ${next}.`;
      others = next === undefined ? left.length : 0;
      return { ...(next !== undefined && { baseUrl: next }), tokens };
    });
    warnIfSet(context, 'VALS_TOKEN');
    if (wasSignedIn) {
      // A script learns it too, because its next command uses that service.
      if (defaultNow !== '') say({ kind: 'note', text: defaultNow });
      say({ kind: 'done', text: `Signed out of ${baseUrl.origin}.` });
    }
    if (others > 0) {
      say({
        kind: 'hint',
        text: sh`To choose one of the ${others} other services, run ${['use', '<base-url>']}.`,
      });
    }
    const status = wasSignedIn ? 'signed out' : 'not signed in';
    return { kind: 'record', record: { status, baseUrl: baseUrl.href } };
  },
});
