import type { Feature } from '../core/command-line/command.ts';
import { LocalError } from '../core/errors.ts';

/** The embedded service, and the shared service that a team runs. */
export const service: Feature = {
  commands: [
    { path: 'serve', group: 'set-up', effect: 'updates', load: () => import('./commands/serve/serve.ts') },
    {
      path: 'user add',
      topic: 'People of a shared service',
      group: 'set-up',
      effect: 'adds',
      load: () => import('./commands/user/add.ts'),
    },
    { path: 'user ls', group: 'set-up', effect: 'reads', load: () => import('./commands/user/ls.ts') },
    {
      path: 'user token',
      group: 'set-up',
      effect: 'updates',
      load: () => import('./commands/user/token.ts'),
    },
    { path: 'user rm', group: 'set-up', effect: 'deletes', load: () => import('./commands/user/rm.ts') },
    {
      path: 'space add',
      topic: 'Spaces of a team',
      group: 'set-up',
      effect: 'adds',
      load: () => import('./commands/space/add.ts'),
    },
    { path: 'space ls', group: 'set-up', effect: 'reads', load: () => import('./commands/space/ls.ts') },
    {
      path: 'space grant',
      group: 'set-up',
      effect: 'updates',
      load: () => import('./commands/space/grant.ts'),
    },
    {
      path: 'space revoke',
      group: 'set-up',
      effect: 'deletes',
      load: () => import('./commands/space/revoke.ts'),
    },
    { path: 'space rm', group: 'set-up', effect: 'deletes', load: () => import('./commands/space/rm.ts') },
    {
      path: 'token add',
      topic: 'Tokens of your own',
      group: 'set-up',
      effect: 'adds',
      load: () => import('./commands/token/add.ts'),
    },
    { path: 'token ls', group: 'set-up', effect: 'reads', load: () => import('./commands/token/ls.ts') },
    { path: 'token rm', group: 'set-up', effect: 'deletes', load: () => import('./commands/token/rm.ts') },
    { path: 'backup', group: 'set-up', effect: 'adds', load: () => import('./commands/backup.ts') },
  ],
  /** Starts the embedded service in this process, for one command. */
  async openLocal(settings) {
    const { startService } = await import('./start-service.ts');
    let failure: LocalError | undefined;
    const { baseUrl, token, close } = await startService({
      file: settings.dataFile,
      port: 0,
      endsWithCommand: true,
      onEvent(event) {
        if (event.kind === 'store failed' && event.error instanceof LocalError) failure = event.error;
      },
    });
    return { base: { origin: baseUrl, href: baseUrl }, token, failure: () => failure, close };
  },
};
