import { defineCommand } from '../command-line/command.ts';
import { isObject, type JsonObject } from '../lib/json.ts';
import { type Column, column, idColumn, moment } from '../output/column.ts';
import * as routes from '../routes.ts';

const columns: Column[] = [
  column('username'),
  idColumn('id'),
  column('email'),
  column('bio'),
  column('url'),
  { ...column('token', 'token.name'), compute: describeToken },
  moment('token ends', 'token.expiresAt'),
  // Of a space: the person who uses it.
  column('actor', 'actor.username'),
];

export const command = defineCommand({
  summary: 'Show the account that you are signed in to',
  examples: ['vals me', 'vals me --json | jq -r .username'],
  columns,
  async run({ api: connect }) {
    const record = await (await connect()).record(routes.me());
    return { kind: 'record', record };
  },
});

/** Some services tell by which token they were asked. */
function describeToken({ token }: JsonObject): string | undefined {
  if (!isObject(token) || typeof token.name !== 'string') return undefined;
  const limits = [
    ...(typeof token.access === 'string' && token.access !== 'full' ? [token.access] : []),
    ...(typeof token.space === 'string' ? [`for ${token.space} alone`] : []),
  ];
  return limits.length === 0 ? token.name : `${token.name} (${limits.join(', ')})`;
}
