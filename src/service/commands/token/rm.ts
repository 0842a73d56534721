import { defineCommand } from '../../../core/command-line/command.ts';
import { text } from '../../../core/command-line/value-types.ts';
import { outcomeColumn } from '../../../core/commands/shared/columns.ts';
import { dryRun, yes } from '../../../core/commands/shared/options.ts';
import { confirmDeletion, deleteAll } from '../../../core/commands/shared/remove.ts';
import { textAt } from '../../../core/lib/json.ts';
import { column, idColumn } from '../../../core/output/column.ts';
import * as routes from '../../../core/routes.ts';
import { findToken, listTokens } from './my-tokens.ts';

export const command = defineCommand({
  summary: 'Revoke one of your tokens at once',
  description:
    'Revoke one of your tokens at once, and sign out the browsers that used it. The command asks first.',
  arguments: {
    name: {
      description: 'the name of the token, or its id as `vals token ls` shows it',
      value: text('name'),
    },
  },
  options: { yes, dryRun },
  examples: ['vals token rm ci', 'vals token rm ci --yes'],
  columns: [outcomeColumn, column('name'), idColumn('id')],
  async run(context, { name: word, yes, dryRun }) {
    const token = findToken(await listTokens(context), word);
    const id = textAt(token, 'id') ?? '';
    const name = textAt(token, 'name') ?? word;
    if (!dryRun && !yes) await confirmDeletion(context, async () => `End the token ${name}?`);
    const deletion = {
      row: { id, name },
      label: name,
      name: `the token ${name}`,
      call: routes.deleteToken(id),
    };
    return deleteAll(context, [deletion], { things: 'tokens', concurrency: 1, dryRun });
  },
});
