import { defineCommand } from '../../../core/command-line/command.ts';
import { sh } from '../../../core/lib/hint.ts';
import { isObject, type JsonObject } from '../../../core/lib/json.ts';
import { column, idColumn, moment } from '../../../core/output/column.ts';
import { listOwners } from '../../store/owners.ts';
import { tokensOf } from '../../store/tokens.ts';
import { withStore } from '../shared/people-and-spaces.ts';
import { existingPlaceOptions } from '../shared/store-place.ts';

export const command = defineCommand({
  summary: 'List the people of a service',
  description:
    'List the people of a service, sorted by username, with the number of vals that each person owns, and with their ' +
    'tokens: what each token may do, the only space that it works in, and with --json when it was last used and when it ends.',
  options: existingPlaceOptions,
  examples: ['vals user ls', 'vals user ls --json | jq -r ".[].username"'],
  columns: [
    column('username'),
    column('vals'),
    { ...column('tokens'), compute: tokensText },
    moment('added', 'createdAt'),
    idColumn('id'),
  ],
  run: (context, options) =>
    withStore(context, options, async ({ db }, { words }) => {
      const all = await listOwners(db, 'person');
      const rows = await Promise.all(
        all.map(async ({ createdAt, vals, ...user }) => {
          const found = await tokensOf(db, { owner: user, actor: user });
          const tokens = found.map(({ id: _, createdAt: __, ...token }) => token);
          return { ...user, createdAt, vals, tokens };
        }),
      );
      const addUser = ['user', 'add', '<username>', ...words];
      return { kind: 'list', rows, emptyHint: sh`The service has no users yet. To add one, run ${addUser}.` };
    }),
});

function tokensText({ tokens }: JsonObject): string {
  const all = Array.isArray(tokens) ? tokens.filter(isObject) : [];
  const texts = all.map(({ name, access, space }) => {
    const limits = [...(access === 'full' ? [] : [access]), ...(space === null ? [] : [`for ${space}`])];
    return limits.length === 0 ? `${name}` : `${name} (${limits.join(', ')})`;
  });
  return texts.join(', ');
}
