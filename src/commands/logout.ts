import { defineCommand } from '../cli/command.ts';
import { UsageError } from '../errors.ts';
import { column } from '../terminal/column.ts';

export const command = defineCommand({
  summary: 'Sign out of a service: remove its token',
  description: 'Remove the stored token of a service. The token stays valid until the service revokes it.',
  examples: ['vals logout', 'vals logout --base-url https://api.example.com'],
  columns: [column('status'), column('base url', 'baseUrl')],
  async run(context) {
    const { settings, env, say } = context;
    const baseUrl = settings.baseUrl?.value;
    if (baseUrl === undefined) {
      throw new UsageError('There is no service to sign out of.', {
        hint: 'Name it: `vals logout --base-url https://...`.',
      });
    }
    let wasSignedIn = false;
    const { updateConfig } = await import('../settings/config-update.ts');
    await updateConfig(context, (config) => {
      const { [baseUrl.origin]: forgotten, ...tokens } = config.tokens;
      wasSignedIn = forgotten !== undefined;
      return { ...config, tokens };
    });
    if (env.VALS_TOKEN) say.warn('VALS_TOKEN is still set, and is still used.');
    if (wasSignedIn) say.done(`Signed out of ${baseUrl.href}.`);
    const status = wasSignedIn ? 'signed out' : 'not signed in';
    return { kind: 'record', record: { status, baseUrl: baseUrl.href } };
  },
});
