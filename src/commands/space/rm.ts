import { defineCommand } from '../../cli/command.ts';
import { column } from '../../terminal/column.ts';
import {
  confirmRemoval,
  noSpaceNamed,
  ownsVals,
  removedMeanwhile,
  removeWithoutAsking,
  spaceArgument,
  withStore,
} from '../serve/people-and-spaces.ts';
import { existingPlaceOptions } from '../serve/store-place.ts';
import { yes } from '../shared/options.ts';

export const command = defineCommand({
  summary: 'Remove a space',
  description:
    'Remove a space. The command asks first. The members keep their own vals. A space that owns vals is removed only ' +
    'with --with-vals, which deletes those vals too, with all their versions. If the command is ' +
    'interrupted, run the command again to delete the rest.',
  arguments: { name: spaceArgument },
  options: {
    ...existingPlaceOptions,
    yes,
    withVals: { description: 'delete the vals of the space too, with all versions' },
    dryRun: { description: 'remove nothing; print what would be removed' },
  },
  examples: ['vals space rm acme', 'vals space rm acme --with-vals --yes'],
  columns: [column('status'), column('space')],
  run: (context, { name, yes, withVals = false, dryRun, ...options }) => {
    const asks = !yes && !dryRun;
    if (asks) context.prompt.expectTerminal(removeWithoutAsking);
    return withStore(context, options, async ({ spaces }, place) => {
      const space = await spaces.named(name);
      if (!space) throw noSpaceNamed(name, place);
      if (space.vals > 0 && !withVals) throw ownsVals(name);
      if (dryRun) return { kind: 'record', record: { space: name, status: 'planned' } };
      if (asks) await confirmRemoval(context, name, space.vals);
      const outcome = await spaces.remove(name, { withVals, id: space.id });
      if (outcome === 'absent') throw removedMeanwhile(name);
      if (outcome === 'has vals') throw ownsVals(name);
      context.say({ kind: 'done', text: `Removed the space ${name}.` });
      return { kind: 'record', record: { space: name, status: outcome } };
    });
  },
});
