// `vals val rm`, and what is left of the vals in vals.json.
import { type Context, defineCommand } from '../../core/command-line/command.ts';
import { command as coreRm } from '../../core/commands/val/rm.ts';
import { LocalError, undefinedIf } from '../../core/errors.ts';
import { someOf } from '../../core/lib/hint.ts';
import { outcomesIn } from '../../core/output/out.ts';
import { idsOn } from '../manifest.ts';
import { createWorkspaces } from '../workspace.ts';

export const command = defineCommand({
  ...coreRm,
  async run(context, input) {
    const result = await coreRm.run(context, input);
    const deleted = outcomesIn(result).filter(({ status }) => status === 'deleted');
    noteEntries(context, new Set(deleted.map(({ id }) => id)));
    return result;
  },
});

/** An entry that is left would make a file of that name a conflict. */
function noteEntries(context: Context, deleted: ReadonlySet<unknown>): void {
  if (deleted.size === 0) return;
  const names = idsHere(context).flatMap(([name, id]) => (deleted.has(id) ? name : []));
  if (names.length > 0)
    context.out.say({ kind: 'note', text: `Remove ${someOf(names)} from "ids" of vals.json, too.` });
}

/** What was deleted is deleted, also if vals.json cannot be read. */
function idsHere(context: Context): [name: string, id: string][] {
  try {
    const workspace = createWorkspaces(context).here();
    return workspace === undefined ? [] : [...idsOn(workspace.service, workspace.manifest)];
  } catch (error) {
    return undefinedIf(LocalError)(error) ?? [];
  }
}
