import { defineCommand } from '../../../core/command-line/command.ts';
import { sh } from '../../../core/lib/hint.ts';
import { column, idColumn } from '../../../core/output/column.ts';
import { createSpace } from '../../store/spaces.ts';
import {
  logChange,
  logOption,
  nameTaken,
  refuseAuthorName,
  spaceArgument,
  withStore,
} from '../shared/people-and-spaces.ts';
import { placeOptions } from '../shared/store-place.ts';

export const command = defineCommand({
  summary: 'Add a space for vals that several people own',
  description:
    'Add a space to the service of a team. The base URL of the space is the base URL of the service followed by ' +
    '/@name. The members of the space use their own tokens. A name that versions of vals still have as their author ' +
    'is refused without --again.',
  arguments: { name: spaceArgument },
  options: {
    ...placeOptions,
    again: { description: 'a person who was removed had the name' },
    ...logOption,
  },
  examples: ['vals space add acme', 'vals space add acme --database postgres://vals@db.example.com/vals'],
  columns: [column('username'), idColumn('id')],
  run: (context, { name, again, log, ...options }) =>
    withStore(context, { ...options, mayBeNew: true }, async (store, place) => {
      if (!again) await refuseAuthorName(store, name, 'you want the name all the same');
      const space = await createSpace(store.db, name);
      const addMembers = sh`To add members, run ${['space', 'grant', name, '<username>', ...place.words]}.`;
      if (!space) throw await nameTaken(store, 'space', { name, place, instead: addMembers });
      logChange(context, log, ['space', 'add', name, ...(again ? ['--again'] : [])]);
      context.out.say({ kind: 'done', text: `Added the space ${name} to ${place.name}.` });
      context.out.say({ kind: 'hint', text: addMembers });
      return { kind: 'record', record: { ...space } };
    }),
});
