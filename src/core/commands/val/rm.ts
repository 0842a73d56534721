import { type Context, defineCommand } from '../../command-line/command.ts';
import { knownName, labelOf, withRecord } from '../../command-line/resolve-vals.ts';
import { val } from '../../command-line/value-types.ts';
import type { GivenVal } from '../../find-val/find-val.ts';
import { shownVersion } from '../../http/versions.ts';
import { withoutUndefined } from '../../lib/json.ts';
import { column, idColumn } from '../../output/column.ts';
import * as routes from '../../routes.ts';
import { myValColumns, outcomeColumn } from '../shared/columns.ts';
import { dryRun, yes } from '../shared/options.ts';
import { confirmDeletion, deleteAll } from '../shared/remove.ts';
import { warnOfDependents } from './dependents.ts';

export const command = defineCommand({
  summary: 'Delete vals, with all their versions and runs',
  description:
    'Delete vals, with all their versions and runs. The command shows the vals and asks once, or not at all with --yes. ' +
    'A val given by name or file is checked first: if it has been renamed on the service, it is not deleted.',
  arguments: {
    vals: {
      description: 'names, ids, starts of ids, or files of vals',
      value: val(),
      repeatable: true,
    },
  },
  options: { yes, dryRun },
  examples: ['vals val rm hello', 'vals val rm hello --yes'],
  empty: 'No vals were given.',
  columns: [outcomeColumn, { ...column('name'), only: 'terminal' }, idColumn('id')],
  async run(context, { vals: given, yes, dryRun }) {
    const { forPerson } = context.out;
    let vals: readonly GivenVal[] = [...new Map(given.map((val) => [val.id, val])).values()];
    if (dryRun && forPerson) {
      vals = await readAll(context, vals);
      await warnOfDependents(context, vals);
    } else if (!dryRun && !yes) {
      await confirmDeletion(context, async () => {
        vals = await readAll(context, vals);
        return showVals(context, vals);
      });
    }
    const deletions = vals.map((val) => ({
      row: { id: val.id, ...(forPerson && knownName(val)) },
      label: val.word,
      name: labelOf(val),
      call: { ...routes.deleteVal(val), ifMatch: val.read?.etag },
    }));
    // Vals are deleted one at a time, so that Ctrl-C stops the command before the next val is deleted.
    return deleteAll(context, deletions, { things: 'vals', concurrency: 1, dryRun });
  },
});

const readAll = (context: Context, vals: readonly GivenVal[]): Promise<GivenVal[]> =>
  Promise.all(vals.map((val) => withRecord(context, val)));

/** Returns the question about them. */
async function showVals(context: Context, vals: readonly GivenVal[]): Promise<string> {
  const api = await context.api();
  const records = await Promise.all(
    vals.map(async (val) => {
      const record = { ...val.read?.record, id: val.id };
      return { ...record, ...withoutUndefined({ version: await shownVersion(api, val, record) }) };
    }),
  );
  context.out.say({ kind: 'table', records, columns: myValColumns });
  await warnOfDependents(context, vals);
  const names = vals.map(labelOf);
  return vals.length === 1
    ? `Delete the val ${names[0]}, with all its versions and runs?`
    : `Delete these ${vals.length} vals, with all their versions and runs: ${names.join(', ')}?`;
}
