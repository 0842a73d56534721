import { defineCommand } from '../../../core/command-line/command.ts';
import { sh } from '../../../core/lib/hint.ts';
import { createPerson } from '../../store/people.ts';
import {
  logChange,
  logOption,
  nameTaken,
  refuseAuthorName,
  tokenColumns,
  usernameArgument,
  withStore,
} from '../shared/people-and-spaces.ts';
import { placeOptions } from '../shared/store-place.ts';

export const command = defineCommand({
  summary: 'Add a person, and print their token once',
  description:
    'Add a person to the service of a team, and print their token. It is shown only once. ' +
    'A name that versions of vals still have as their author is refused without --again. The ' +
    'command opens the database directly, so it needs no token.',
  arguments: { username: usernameArgument },
  options: {
    ...placeOptions,
    again: { description: 'the person was here before, under the same name' },
    ...logOption,
  },
  examples: [
    'vals user add ada --database postgres://vals@db.example.com/vals',
    'vals user add ada --json | jq -r .token',
  ],
  columns: tokenColumns,
  run: (context, { username, again, log, ...options }) =>
    withStore(context, { ...options, mayBeNew: true }, async (store, place) => {
      if (!again) await refuseAuthorName(store, username, 'it is the same person');
      const added = await createPerson(store.db, username);
      if (!added) {
        const instead = sh`To give ${username} a new token, run ${['user', 'token', username, ...place.words]}.`;
        throw await nameTaken(store, 'user', { name: username, place, instead });
      }
      logChange(context, log, ['user', 'add', username, ...(again ? ['--again'] : [])]);
      context.out.say({ kind: 'done', text: `Added ${username} to ${place.name}.` });
      context.out.say({
        kind: 'hint',
        text: `Copy the token now, because it is shown only once. To sign in, ${username} runs \`vals login <base-url>\`.`,
      });
      return { kind: 'record', record: { ...added.user, token: added.token } };
    }),
});
