import type { Feature, PlacedCommand } from '../core/command-line/command.ts';

type More = Pick<PlacedCommand, 'topic'>;

const command = (
  path: string,
  effect: PlacedCommand['effect'],
  load: PlacedCommand['load'],
  more: More = {},
): PlacedCommand => ({ path, group: 'set-up', effect, load, ...more });

/** The embedded service, and the shared service that a team runs. */
export const service: Feature = {
  commands: [
    command('serve', 'updates', () => import('./commands/serve/serve.ts')),
    command('user add', 'adds', () => import('./commands/user/add.ts'), {
      topic: 'People of a shared service',
    }),
    command('user ls', 'reads', () => import('./commands/user/ls.ts')),
    command('user token', 'updates', () => import('./commands/user/token.ts')),
    command('user rm', 'deletes', () => import('./commands/user/rm.ts')),
    command('space add', 'adds', () => import('./commands/space/add.ts'), { topic: 'Spaces of a team' }),
    command('space ls', 'reads', () => import('./commands/space/ls.ts')),
    command('space grant', 'updates', () => import('./commands/space/grant.ts')),
    command('space revoke', 'deletes', () => import('./commands/space/revoke.ts')),
    command('space rm', 'deletes', () => import('./commands/space/rm.ts')),
    command('token add', 'adds', () => import('./commands/token/add.ts'), { topic: 'Tokens of your own' }),
    command('token ls', 'reads', () => import('./commands/token/ls.ts')),
    command('token rm', 'deletes', () => import('./commands/token/rm.ts')),
    command('backup', 'adds', () => import('./commands/backup.ts')),
  ],
  async openLocal(settings, onUpgrade) {
    const { openLocal } = await import('./open-local.ts');
    return openLocal(settings, onUpgrade);
  },
};
