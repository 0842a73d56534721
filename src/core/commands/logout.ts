import { defineCommand } from '../command-line/command.ts';
import { UsageError } from '../errors.ts';
import { sh } from '../lib/hint.ts';
import { column } from '../output/column.ts';
import { hasOrigin } from '../settings/addresses.ts';
import { updateConfig } from '../settings/config-file.ts';
import { warnIfSet } from './shared/options.ts';

export const command = defineCommand({
  summary: 'Sign out of a service: remove its token',
  description: 'Remove the stored token of a service. The token stays valid until the service revokes it.',
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
    let isDefault = false;
    const left = await updateConfig(settings, ({ baseUrl: byDefault, tokens: before }) => {
      const { [baseUrl.origin]: forgotten, ...tokens } = before;
      wasSignedIn = forgotten !== undefined;
      isDefault = hasOrigin(byDefault, baseUrl.origin);
      return { tokens, ...(byDefault !== undefined && !isDefault && { baseUrl: byDefault }) };
    });
    warnIfSet(context, 'VALS_TOKEN');
    // A script learns it too, because its next command names no service.
    if (wasSignedIn && isDefault) say({ kind: 'note', text: 'There is no default service now.' });
    if (wasSignedIn) say({ kind: 'done', text: `Signed out of ${baseUrl.origin}.` });
    const [other] = Object.keys(left.tokens);
    if (isDefault && other !== undefined)
      say({ kind: 'hint', text: sh`To choose another service, run ${['use', other]}.` });
    const status = wasSignedIn ? 'signed out' : 'not signed in';
    return { kind: 'record', record: { status, baseUrl: baseUrl.href } };
  },
});
