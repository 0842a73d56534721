import { defineCommand } from '../../../core/command-line/command.ts';
import { column } from '../../../core/output/column.ts';
import { grant } from '../../store/spaces.ts';
import {
  logChange,
  logOption,
  noneNamed,
  spaceArgument,
  usernameArgument,
  withStore,
} from '../shared/people-and-spaces.ts';
import { existingPlaceOptions } from '../shared/store-place.ts';

export const command = defineCommand({
  summary: 'Make a person a member of a space',
  description:
    'Make a person a member of a space. The member may read and change all vals of the space. With --read, the ' +
    'member may only read them. If the person is a member already, the role changes immediately.',
  arguments: { name: spaceArgument, username: usernameArgument },
  options: {
    ...existingPlaceOptions,
    read: { description: 'let the person read all vals of the space, but change none' },
    ...logOption,
  },
  examples: ['vals space grant acme ada', 'vals space grant acme bob --read'],
  columns: [column('space'), column('username'), column('role')],
  run: (context, { name, username, read, log, ...options }) =>
    withStore(context, options, async ({ db }, place) => {
      const role = read ? 'read' : 'write';
      const outcome = await grant(db, name, username, role);
      if (outcome === 'no space') throw noneNamed('space', name, place);
      if (outcome === 'no person') throw noneNamed('user', username, place);
      logChange(context, log, ['space', 'grant', name, username, ...(read ? ['--read'] : [])]);
      context.out.say({ kind: 'done', text: `${username} may ${role} the vals of the space ${name}.` });
      context.out.say({
        kind: 'hint',
        text: `To use the space, ${username} runs \`vals use\` with the base URL that ends in /@${name}.`,
      });
      return { kind: 'record', record: { space: name, username, role } };
    }),
});
