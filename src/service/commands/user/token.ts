import { defineCommand } from '../../../core/command-line/command.ts';
import { noneNamed, tokenColumns, usernameArgument, withStore } from '../serve/people-and-spaces.ts';
import { existingPlaceOptions } from '../serve/store-place.ts';

export const command = defineCommand({
  summary: 'Replace the token of a person',
  description:
    'Give a person a new token, and print it. The token is shown only once, because the service keeps only a ' +
    'hash of the token. The old token stops working immediately, in every service that uses the same database.',
  arguments: { username: usernameArgument },
  options: existingPlaceOptions,
  examples: ['vals user token ada', 'vals user token ada --json | jq -r .token'],
  columns: tokenColumns,
  run: (run, { username, ...options }) =>
    withStore(run, options, async ({ people }, place) => {
      const renewed = await people.renewToken(username);
      if (!renewed) throw noneNamed('user', username, place);
      run.out.say({ kind: 'done', text: `${username} has a new token. The old token no longer works.` });
      return { kind: 'record', record: { ...renewed.user, token: renewed.token } };
    }),
});
