import { textAt } from '../../api/record-fields.ts';
import * as routes from '../../api/routes.ts';
import { defineCommand } from '../../cli/command.ts';
import type { Context } from '../../cli/context.ts';
import { jsonNumber } from '../../lib/json.ts';
import { column, idColumn } from '../../terminal/column.ts';
import { outcomeColumn } from '../shared/columns.ts';
import { dryRun, valArgument, versionArgument, yes } from '../shared/options.ts';
import { removeBatch } from '../shared/remove.ts';

export const command = defineCommand({
  summary: 'Delete versions of a val',
  description: 'Delete versions of a val. The command asks first, and says which version is current.',
  descriptionForAgents: 'Delete versions of a val without a question. This cannot be undone.',
  arguments: {
    val: valArgument,
    versions: { ...versionArgument, description: 'the numbers of the versions to delete', repeatable: true },
  },
  options: { yes, dryRun },
  examples: ['vals version rm hello 2 3 --yes'],
  columns: [
    outcomeColumn,
    column('version'),
    { ...column('name'), only: 'terminal' },
    { ...idColumn('id'), impliedBy: ['val'] },
  ],
  run: (context, { val, versions, yes, dryRun }) =>
    removeBatch(context, versions, {
      question: (many) => question(context, val, many),
      readNames: () => context.givenVals.readSummary(val),
      describe: (version) => ({
        id: val,
        version: jsonNumber(version),
        ...(context.forPerson && { name: context.givenVals.labelFor(val) }),
      }),
      things: 'versions',
      route: (version) => routes.deleteVersion(val, version),
      concurrency: 'auto',
      yes,
      dryRun,
    }),
});

async function question(context: Context, val: string, versions: readonly string[]): Promise<string> {
  const record = await context.givenVals.readSummary(val);
  const name = textAt(record, 'name') ?? context.givenVals.wordFor(val) ?? val;
  const current = textAt(record, 'version');
  const what = versions.length === 1 ? `version ${versions[0]}` : `the versions ${versions.join(', ')}`;
  return `Delete ${what} of the val ${name}${noteOnCurrent(versions, current)}?`;
}

function noteOnCurrent(versions: readonly string[], current: string | undefined): string {
  if (current === undefined) return '';
  if (!versions.includes(current)) return `, whose current version is ${current}`;
  return versions.length === 1 ? ', its current version' : `, among them its current version ${current}`;
}
