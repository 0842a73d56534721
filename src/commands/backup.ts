import { existsSync } from 'node:fs';
import { defineCommand } from '../cli/command.ts';
import { path } from '../cli/value-types.ts';
import { LocalError } from '../errors.ts';
import { column } from '../terminal/column.ts';
import { existingPlaceOptions, placeOfTarget, storePlace } from './serve/store-place.ts';

export const command = defineCommand({
  summary: 'Copy everything that a service keeps',
  description:
    'Copy everything that a service keeps, as it is at one moment, while the service serves: people, digests of tokens, ' +
    'spaces, vals, versions, runs, likes, comments and references. The target is a new file, or the URL of an empty PostgreSQL ' +
    'database. The same command restores a backup, and moves a service from SQLite to PostgreSQL or back. Every token goes on ' +
    'working. The command opens the database directly, so it needs no token.',
  arguments: {
    target: { description: 'a new file, or postgres://user@host/name', value: path('target') },
  },
  options: existingPlaceOptions,
  examples: [
    'vals backup copy.db',
    'vals backup team-copy.db --data team.db',
    'vals backup --data team.db postgres://vals@db.example.com/vals',
  ],
  columns: [
    column('target'),
    ...['people', 'spaces', 'tokens', 'vals', 'versions', 'runs', 'likes', 'comments', 'references'].map(
      (kind) => column(kind, `counts.${kind}`),
    ),
  ],
  async run(context, { target, ...options }) {
    const { backupStore } = await import('../service/index.ts');
    const from = storePlace(context, options);
    const to = placeOfTarget(context, target);
    if ('file' in from.location && !existsSync(from.location.file)) throw noStore(from.name);
    const counts = await backupStore(from.location, to.location, {
      signal: context.signal,
      onProgress: (rows) =>
        context.say({ kind: 'progress', text: `Copied ${rows.toLocaleString('en')} records` }),
    });
    context.say({ kind: 'progress' });
    context.say({ kind: 'done', text: `Copied ${from.name} to ${to.name}.` });
    return { kind: 'record', record: { target: to.shown, counts: { ...counts } } };
  },
});

const noStore = (name: string): LocalError =>
  new LocalError(`There is no store to copy at ${name}.`, {
    hint: 'Name the file with --data, or the PostgreSQL database with --database.',
  });
