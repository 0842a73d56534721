import { defineCommand } from '../../../core/command-line/command.ts';
import { renewToken } from '../../store/people.ts';
import { noneNamed, tokenColumns, usernameArgument, withStore } from '../serve/people-and-spaces.ts';
import { existingPlaceOptions } from '../serve/store-place.ts';

export const command = defineCommand({
  summary: 'Give a person a new token, and end all earlier ones',
  description:
    'Give a person a new token, and print it. It is shown only once. ' +
    'All earlier tokens of the person end immediately, in every service that uses the same database, ' +
    'and with them the sessions of browsers.',
  arguments: { username: usernameArgument },
  options: existingPlaceOptions,
  examples: ['vals user token ada', 'vals user token ada --json | jq -r .token'],
  columns: tokenColumns,
  run: (context, { username, ...options }) =>
    withStore(context, options, async (store, place) => {
      const renewed = await renewToken(store, username);
      if (!renewed) throw noneNamed('user', username, place);
      context.out.say({ kind: 'done', text: `${username} has a new token. All earlier ones have ended.` });
      return { kind: 'record', record: { ...renewed.user, token: renewed.token } };
    }),
});
