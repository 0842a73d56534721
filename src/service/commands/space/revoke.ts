import { defineCommand } from '../../../core/command-line/command.ts';
import { NotFoundError } from '../../../core/errors.ts';
import { sh } from '../../../core/lib/hint.ts';
import { column } from '../../../core/output/column.ts';
import { revoke } from '../../store/spaces.ts';
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
  summary: 'Remove a person from a space',
  description:
    'Remove a person from a space. The person loses access immediately, in every running service that uses the same ' +
    'database. The versions that the person made stay.',
  arguments: { name: spaceArgument, username: usernameArgument },
  options: { ...existingPlaceOptions, ...logOption },
  examples: ['vals space revoke acme bob'],
  columns: [column('status'), column('space')],
  run: (context, { name, username, log, ...options }) =>
    withStore(context, options, async ({ db }, place) => {
      const outcome = await revoke(db, name, username);
      if (outcome === 'no space') throw noneNamed('space', name, place);
      if (outcome === 'no person') throw noneNamed('user', username, place);
      if (outcome === 'not a member') {
        throw new NotFoundError(`${username} is not a member of the space ${name}.`, {
          hint: sh`To list the members of the space, run ${['space', 'ls', name, ...place.words]}.`,
        });
      }
      logChange(context, log, ['space', 'revoke', name, username]);
      context.out.say({ kind: 'done', text: `${username} has no access to the space ${name} any more.` });
      return { kind: 'record', record: { space: name, status: outcome } };
    }),
});
