import { defineCommand } from '../../../core/command-line/command.ts';
import { outcomeColumn } from '../../../core/commands/shared/columns.ts';
import { column, idColumn } from '../../../core/output/column.ts';
import { removalOptions, removeUserOrSpace, usernameArgument } from '../shared/people-and-spaces.ts';

export const command = defineCommand({
  summary: 'Remove a person',
  description:
    'Remove a person. The command asks first. The tokens of the person stop working. A person who owns vals is ' +
    'removed only with --with-vals, which deletes those vals too, with all their versions. If the command is ' +
    'interrupted, run the command again to delete the rest.',
  arguments: { username: usernameArgument },
  options: removalOptions,
  examples: ['vals user rm ada', 'vals user rm ada --with-vals --yes'],
  columns: [outcomeColumn, column('username'), idColumn('id')],
  async run(context, { username, ...options }) {
    const id = await removeUserOrSpace(context, 'user', { name: username, ...options });
    return { kind: 'list', rows: [{ id, username, status: options.dryRun ? 'planned' : 'deleted' }] };
  },
});
