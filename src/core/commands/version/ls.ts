import { defineCommand } from '../../command-line/command.ts';
import { versionOf } from '../../http/record-fields.ts';
import type { JsonObject } from '../../lib/json.ts';
import { type Column, column, idColumn, moment } from '../../output/column.ts';
import * as routes from '../../routes.ts';
import { byColumn } from '../shared/columns.ts';
import { valArgument } from '../shared/options.ts';

const columns: Column[] = [
  column('version'),
  moment('created', 'createdAt', 'runStartAt'),
  { ...idColumn('val', 'val_id', 'valId', 'val.id', 'id'), only: 'pipe' },
  byColumn,
];

export const command = defineCommand({
  summary: 'List the versions of a val',
  arguments: { val: valArgument },
  examples: ['vals version ls hello'],
  columns,
  empty: 'No versions.',
  async run({ api: connect, out: { forPerson } }, { val }) {
    const pages = (await connect()).pages(routes.listVersions(val));
    if (!forPerson) return { kind: 'list', rows: pages };
    const versions: JsonObject[] = [];
    for await (const { records } of pages) {
      for (const record of records) versions.push(record);
    }
    const newest = versions.reduce((most, version) => Math.max(most, versionOf(version) ?? -1), -1);
    const current = {
      ...column(''),
      compute: (version: JsonObject) => (versionOf(version) === newest ? 'current' : ''),
    };
    return { kind: 'list', rows: versions, columns: [...columns, { ...current, only: 'terminal' }] };
  },
});
