import { defineCommand } from '../../command-line/command.ts';
import { withRecord } from '../../command-line/resolve-vals.ts';
import { versionOf } from '../../http/record-fields.ts';
import { presentAmong } from '../../http/versions.ts';
import type { JsonObject, Page } from '../../lib/json.ts';
import { type Column, column, idColumn, moment } from '../../output/column.ts';
import * as routes from '../../routes.ts';
import { byColumn } from '../shared/columns.ts';
import { valArgument } from '../shared/options.ts';

const columnsOf = (id?: string): Column[] => [
  column('version'),
  moment('created', 'createdAt', 'runStartAt'),
  { ...idColumn('val'), compute: () => id, only: 'pipe' },
  byColumn,
];

export const command = defineCommand({
  summary: 'List the versions of a val',
  arguments: { val: valArgument },
  examples: ['vals version ls hello'],
  columns: columnsOf(),
  empty: 'No versions.',
  async run(context, { val }) {
    const api = await context.api();
    const rows = newestFirst(api.pages(routes.listVersions(val)));
    if (!context.out.forPerson) return { kind: 'list', rows: await rows, columns: columnsOf(val.id) };
    const [versions, { read }] = await Promise.all([rows, withRecord(context, val)]);
    const numbers = versions.flatMap((version) => versionOf(version) ?? []);
    const present = presentAmong(numbers, read?.record);
    const current = {
      ...column(''),
      compute: (version: JsonObject) => (versionOf(version) === present ? 'current' : ''),
    };
    return {
      kind: 'list',
      rows: versions,
      columns: [...columnsOf(val.id), { ...current, only: 'terminal' }],
    };
  },
});

/** Services list versions in one order or the other. */
async function newestFirst(pages: AsyncIterable<Page>): Promise<JsonObject[]> {
  const all: JsonObject[] = [];
  for await (const { records } of pages) all.push(...records);
  return all.sort((a, b) => (versionOf(b) ?? -1) - (versionOf(a) ?? -1));
}
