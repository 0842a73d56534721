import { defineCommand, type Run } from '../../command-line/command.ts';
import { val } from '../../command-line/value-types.ts';
import { textAt } from '../../http/record-fields.ts';
import type { JsonObject } from '../../lib/json.ts';
import { type Column, column, idColumn } from '../../output/column.ts';
import * as routes from '../../routes.ts';
import { outcomeColumn } from '../shared/columns.ts';
import { dryRun, yes } from '../shared/options.ts';
import { confirmDeletion, deleteAll } from '../shared/remove.ts';
import { warnOfDependents } from './dependents.ts';

export const command = defineCommand({
  summary: 'Delete vals, with all their versions and runs',
  description:
    'Delete vals, with all their versions and runs. The command shows the vals and asks once. With --yes, the command does not ' +
    'ask. If you give the name or file of a val, the command reads the val first. If the val has another name on the ' +
    'service, the val is not deleted.',
  descriptionForAgents:
    'Delete vals, with all their versions and runs, without a question. This cannot be undone. If you give the name or file ' +
    'of a val, the tool reads the val first. If the val has another name on the service, the val is not deleted.',
  arguments: {
    vals: {
      description: 'names, ids, starts of ids, or files of vals, or - for standard input, one per line',
      descriptionForAgents: 'names, ids, starts of ids, or files of vals',
      value: val({ orInput: true }),
      repeatable: true,
    },
  },
  options: { yes, dryRun },
  examples: ['vals val rm hello', 'vals val rm hello --yes', 'vals ls --fields id | vals val rm - --yes'],
  empty: 'No vals were given.',
  columns: [outcomeColumn, { ...column('name'), only: 'terminal' }, idColumn('id')],
  async run(run, { vals, yes, dryRun }) {
    const {
      vals: givenVals,
      out: { forPerson },
    } = run;
    const ids = [...new Set(vals)];
    if (dryRun && forPerson) await warnOfDependents(run, await readVals(run, ids));
    if (!dryRun && !yes) await confirmDeletion(run, () => showVals(run, ids));
    const deletions = ids.map((id) => ({
      row: { id, ...(forPerson && { name: givenVals.labelFor(id) }) },
      label: givenVals.wordFor(id) ?? id,
      call: { ...routes.deleteVal(id), ifMatch: givenVals.etagOf(id) },
    }));
    // Vals are deleted one at a time, so that Ctrl-C stops the command before the next val is deleted.
    return deleteAll(run, deletions, { things: 'vals', concurrency: 1, dryRun });
  },
});

const readVals = (
  { vals: givenVals }: Run,
  ids: readonly string[],
): Promise<(JsonObject & { id: string })[]> =>
  Promise.all(ids.map(async (id) => ({ ...(await givenVals.readSummary(id)), id })));

/** Returns the question about them. */
async function showVals(run: Run, ids: readonly string[]): Promise<string> {
  const vals = await readVals(run, ids);
  run.out.say({ kind: 'progress' });
  run.out.say({ kind: 'table', records: vals, columns: removedColumns });
  await warnOfDependents(run, vals);
  const names = vals.map((val) => textAt(val, 'name') ?? val.id);
  return vals.length === 1
    ? `Delete the val ${names[0]}, with all its versions and runs?`
    : `Delete these ${vals.length} vals, with all their versions and runs: ${names.join(', ')}?`;
}

const removedColumns: Column[] = [
  column('name'),
  { ...column('version'), droppable: 4 },
  { ...column('privacy'), droppable: 2 },
  { ...column('changed'), compute: localTimeOfChange, neverCut: true, droppable: 3 },
  idColumn('id'),
];

function localTimeOfChange(val: JsonObject): string {
  const date = new Date(textAt(val, 'versionCreatedAt') ?? textAt(val, 'updatedAt') ?? Number.NaN);
  if (Number.isNaN(date.getTime())) return '';
  const digits = (number: number) => String(number).padStart(2, '0');
  const day = [date.getFullYear(), date.getMonth() + 1, date.getDate()].map(digits).join('-');
  return `${day} ${digits(date.getHours())}:${digits(date.getMinutes())}`;
}
