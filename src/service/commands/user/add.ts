import { defineCommand } from '../../../core/command-line/command.ts';
import { sh } from '../../../core/lib/hint.ts';
import { createPerson } from '../../store/people.ts';
import { nameTaken, tokenColumns, usernameArgument, withStoreOrNew } from '../serve/people-and-spaces.ts';
import { placeOptions } from '../serve/store-place.ts';

export const command = defineCommand({
  summary: 'Add a person, and print their token once',
  description:
    'Add a person to the service of a team, and print their token. It is shown only once. The ' +
    'command opens the database directly, so it needs no token.',
  arguments: { username: usernameArgument },
  options: placeOptions,
  examples: [
    'vals user add ada --database postgres://vals@db.example.com/vals',
    'vals user add ada --json | jq -r .token',
  ],
  columns: tokenColumns,
  run: (context, { username, ...options }) =>
    withStoreOrNew(context, options, async (store, place) => {
      const added = await createPerson(store.db, username);
      if (!added) {
        const instead = sh`To give ${username} a new token, run ${['user', 'token', username, ...place.words]}.`;
        throw await nameTaken(store, 'user', { name: username, place, instead });
      }
      context.out.say({ kind: 'done', text: `Added ${username} to ${place.name}.` });
      context.out.say({
        kind: 'hint',
        text: `Copy the token now, because it is shown only once. To sign in, ${username} runs \`vals login <base-url>\`.`,
      });
      return { kind: 'record', record: { ...added.user, token: added.token } };
    }),
});
