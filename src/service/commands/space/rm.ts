import { defineCommand } from '../../../core/command-line/command.ts';
import { column } from '../../../core/output/column.ts';
import { removalOptions, removeUserOrSpace, spaceArgument } from '../shared/people-and-spaces.ts';

export const command = defineCommand({
  summary: 'Remove a space',
  description:
    'Remove a space. The command asks first. The members keep their own vals. A space that owns vals is removed only ' +
    'with --with-vals, which deletes those vals too, with all their versions. If the command is ' +
    'interrupted, run the command again to delete the rest.',
  arguments: { name: spaceArgument },
  options: removalOptions,
  examples: ['vals space rm acme', 'vals space rm acme --with-vals --yes'],
  columns: [column('status'), column('space')],
  async run(context, input) {
    const { name, dryRun } = input;
    await removeUserOrSpace(context, 'space', input);
    if (!dryRun) context.out.say({ kind: 'done', text: `Removed the space ${name}.` });
    return { kind: 'record', record: { space: name, status: dryRun ? 'planned' : 'removed' } };
  },
});
