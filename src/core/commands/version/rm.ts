import { type Context, defineCommand } from '../../command-line/command.ts';
import { knownName, labelOf, withRecord } from '../../command-line/resolve-vals.ts';
import { NotFoundError } from '../../errors.ts';
import type { GivenVal } from '../../find-val/find-val.ts';
import { presentAmong, versionsOf } from '../../http/versions.ts';
import { sh } from '../../lib/hint.ts';
import { column, idColumn } from '../../output/column.ts';
import * as routes from '../../routes.ts';
import { outcomeColumn } from '../shared/columns.ts';
import { dryRun, valArgument, versionArgument, yes } from '../shared/options.ts';
import { confirmDeletion, deleteAll } from '../shared/remove.ts';

export const command = defineCommand({
  summary: 'Delete versions of a val',
  description: 'Delete versions of a val. The command asks first, and says which version is current.',
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
    { ...idColumn('id'), only: 'pipe' },
  ],
  async run(context, { val, versions: given, yes, dryRun }) {
    const { forPerson } = context.out;
    const versions = [...new Set(given)];
    const shown = dryRun && forPerson ? await withRecord(context, val) : val;
    if (dryRun && forPerson) warnOfCurrent(context, shown, versions, await versionsThere(context, val));
    // One alone needs no look: the service refuses it.
    if (!dryRun && yes && versions.length > 1)
      refuseMissing(val, versions, await versionsThere(context, val));
    if (!dryRun && !yes) {
      await confirmDeletion(context, async () => {
        const there = await versionsThere(context, val);
        refuseMissing(val, versions, there);
        const read = await withRecord(context, val);
        warnOfCurrent(context, read, versions, there);
        return question(read, versions, there);
      });
    }
    const deletions = versions.map((version) => ({
      row: { id: val.id, version, ...(forPerson && knownName(shown)) },
      label: `${version}`,
      name: `version ${version} of ${labelOf(shown)}`,
      call: routes.deleteVersion(val, version),
    }));
    return deleteAll(context, deletions, { things: 'versions', concurrency: 'auto', dryRun });
  },
});

const versionsThere = async (context: Context, val: GivenVal): Promise<number[]> =>
  (await versionsOf(await context.api(), val)).map(({ number }) => number);

/** All are found before the question, and before the first one is deleted. */
function refuseMissing(val: GivenVal, versions: readonly number[], there: readonly number[]): void {
  const missing = versions.filter((version) => !there.includes(version));
  if (missing.length === 0) return;
  const what = missing.length === 1 ? `version ${missing[0]}` : `versions ${missing.join(', ')}`;
  throw new NotFoundError(`${labelOf(val)} has no ${what}. Nothing was deleted.`, {
    hint: sh`To list the versions, run ${['version', 'ls', val.word]}.`,
  });
}

/** Where a version is gone, nothing shows that somebody went back from it. */
function warnOfCurrent(
  { out }: Context,
  val: GivenVal,
  versions: readonly number[],
  there: readonly number[],
): void {
  const current = presentAmong(there, val.read?.record);
  if (current === undefined || !versions.includes(current)) return;
  const left = there.findLast((number) => number < current && !versions.includes(number));
  const returns = `Version ${current} is current. The next deploy from a clone that does not know of this brings it back.`;
  const text =
    left === undefined
      ? returns
      : sh`${returns} To go back for good, run ${['version', 'restore', val.word, left]} instead.`;
  out.say({ kind: 'warning', text });
}

function question(val: GivenVal, versions: readonly number[], there: readonly number[]): string {
  const what = versions.length === 1 ? `version ${versions[0]}` : `the versions ${versions.join(', ')}`;
  const current = presentAmong(there, val.read?.record);
  return `Delete ${what} of the val ${labelOf(val)}${noteOnCurrent(versions, current)}?`;
}

function noteOnCurrent(versions: readonly number[], current: number | undefined): string {
  if (current === undefined) return '';
  if (!versions.includes(current)) return `, whose current version is ${current}`;
  return versions.length === 1 ? ', its current version' : `, among them its current version ${current}`;
}
