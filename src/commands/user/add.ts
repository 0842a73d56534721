import { defineCommand } from '../../cli/command.ts';
import { ConflictError } from '../../errors.ts';
import { placeOptions } from '../shared/store-place.ts';
import { sameStore, tokenColumns, usernameArgument, withPeople } from './people.ts';

export const command = defineCommand({
  summary: 'Add a person, and print their token once',
  description:
    'Add a person to a service that a team shares, and print their token. It is shown this once: only its digest is ' +
    'kept. Works on the database or file itself, so it needs no token.',
  arguments: { username: usernameArgument },
  options: placeOptions,
  examples: [
    'vals user add ada --database postgres://vals@db.example.com/vals',
    'vals user add ada --json | jq -r .token',
  ],
  columns: tokenColumns,
  run: (context, { username, ...place }) =>
    withPeople(context, place, async (people) => {
      const added = await people.add(username);
      if (!added) {
        throw new ConflictError(`There is somebody named ${username} already.`, {
          hint: `For a new token: ${sameStore(`token ${username}`, place)}.`,
        });
      }
      context.say.done(`Added ${username}.`);
      context.say.hint(
        'The token is shown this once. Its owner signs in with `vals login --base-url <url>`.',
      );
      return { kind: 'record', record: { ...added.user, token: added.token } };
    }),
});
