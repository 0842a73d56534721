import { defineCommand } from '../../core/command-line/command.ts';
import { path, text } from '../../core/command-line/value-types.ts';
import { UsageError } from '../../core/errors.ts';
import { column } from '../../core/output/column.ts';
import { countedThings } from '../backup/tables.ts';
import { existingPlaceOptions, placeOfTarget, placeToOpen } from './shared/store-place.ts';

export const command = defineCommand({
  summary: 'Copy everything that a service keeps',
  description:
    'Copy everything that a service keeps in a file, as of one moment, while the service is running: people, digests of ' +
    'tokens, spaces, vals, versions, runs and references. The target is a new file, or the URL of an empty PostgreSQL ' +
    'database, to move there. All tokens keep working, but for that of --local, which is in no copy. For a service on PostgreSQL, use pg_dump.',
  arguments: {
    target: { description: 'a new file, or postgres://user@host/name', value: path('target') },
  },
  options: {
    data: existingPlaceOptions.data,
    database: {
      rare: true,
      value: text('url'),
      description: 'not possible here: use pg_dump for a PostgreSQL database',
    },
  },
  examples: [
    'vals backup copy.db',
    'vals backup team-copy.db --data team.db',
    'vals backup --data team.db postgres://vals@db.example.com/vals',
  ],
  columns: [column('target'), ...countedThings.map((thing) => column(thing, `counts.${thing}`))],
  async run(context, { target, ...options }) {
    const { backupStore, hasLog } = await import('../start-service.ts');
    const from = placeToOpen(context, options);
    if ('database' in from.location) {
      throw new UsageError('vals backup copies a store in a file, but the service in use is on PostgreSQL.', {
        hint: 'Use pg_dump, and pg_restore. To copy a file, name it with --data.',
      });
    }
    const to = placeOfTarget(context, target);
    if ('database' in to.location && hasLog(from.location.file)) {
      const text = `The store ${from.name} is in use, or its service was killed. What is stored there from now on is not in the copy: to move, stop the service first.`;
      context.out.say({ kind: 'warning', text });
    }
    const counts = await backupStore(from.location.file, to.location, {
      signal: context.host.signal,
      onProgress: (copied) => context.out.say({ kind: 'progress', text: `Copied ${copied}` }),
    });
    context.out.say({ kind: 'progress' });
    context.out.say({ kind: 'done', text: `Copied ${from.name} to ${to.name}.` });
    return { kind: 'record', record: { target: to.shown, counts: { ...counts } } };
  },
});
