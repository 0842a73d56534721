// A val that differs from its file, and has no record, is overwritten only if the user says so.
import { forEach } from '../../cli/batch.ts';
import type { Context } from '../../cli/context.ts';
import { ValsError } from '../../errors.ts';
import { cellText } from '../../terminal/column.ts';
import { age } from '../../terminal/times.ts';
import { type Examined, recordIfSame } from '../../workspace/examine.ts';
import { examineForPush, type PushOptions } from '../../workspace/push-val.ts';
import type { RemoteVal, RemoteVals } from '../../workspace/remote-vals.ts';
import { pathTo, type Workspace } from '../../workspace/workspace.ts';
import type { PushItem } from './item.ts';
import { listLine } from './sent-rows.ts';

export interface Overwriting {
  mayOverwrite: PushOptions['mayOverwrite'];
  /** The vals that the user does not want to overwrite. */
  declined: ReadonlySet<PushItem>;
}

interface Answers {
  yes: boolean;
  force: boolean;
  fork: boolean;
  dryRun: boolean;
  remotes: RemoteVals;
}

/** Asks once, for all vals that differ. Without a terminal nobody is asked, and these vals are conflicts. */
export async function askAboutDiffering(
  context: Context,
  workspace: Workspace | undefined,
  items: readonly PushItem[],
  { yes, force, fork, dryRun, remotes }: Answers,
): Promise<Overwriting> {
  const { prompt, say } = context;
  const decided = (isAllowed: boolean): Overwriting => ({
    mayOverwrite: () => isAllowed,
    declined: new Set(),
  });
  if (yes || force || workspace === undefined || !prompt.isAtTerminal()) return decided(yes || force);
  const differing = await findDiffering(workspace, items, remotes, fork);
  if (differing.size === 0) return decided(false);
  say({ kind: 'progress' });
  const lines = [...differing.values()].map((each) => lineFor(workspace, each, context.clock.now()));
  say({
    kind: 'lines',
    text: `The code of these vals on the service differs from the files, and vals has no record of it:\n${lines.join('')}`,
    despite: 'quiet',
  });
  if (dryRun) {
    say({ kind: 'note', text: 'A push would ask before it overwrites these vals.' });
    return decided(true);
  }
  const count = differing.size;
  const question = count === 1 ? 'Overwrite this val?' : `Overwrite these ${count} vals?`;
  const isAllowed = await prompt.confirm(question, 'To overwrite without a question, add --yes.');
  if (!isAllowed) return { mayOverwrite: () => false, declined: new Set(differing.keys()) };
  const shown = new Map([...differing.values()].map(({ val, remote }) => [val.file, remote?.code]));
  // Somebody may change a val while the question is open. The user has not seen that code.
  const isAsShown = ({ file }: { file: string }, { code }: RemoteVal) => shown.get(file) === code;
  return { mayOverwrite: isAsShown, declined: new Set() };
}

/** A val with a record never differs, so only the others are read. */
async function findDiffering(
  workspace: Workspace,
  items: readonly PushItem[],
  remotes: RemoteVals,
  fork: boolean,
): Promise<Map<PushItem, Examined>> {
  const found: (Examined | undefined)[] = [];
  await forEach(items, 'auto', async (item, index) => {
    const { val, isPruned } = item;
    if (val === undefined || isPruned || val.problem !== undefined) return;
    const record = workspace.records.of(val);
    if (record !== undefined && !fork) return;
    try {
      const code = await item.read();
      if (code === undefined) return;
      const examined = await examineForPush(workspace, val, { record, code }, { remotes, fork });
      recordIfSame(workspace, examined);
      const { name, isOthers } = examined;
      if (examined.code === 'differs' && name === 'same' && !isOthers) found[index] = examined;
    } catch (error) {
      // The push itself will report the error.
      if (!(error instanceof ValsError)) throw error;
    }
  });
  return new Map(
    items.flatMap((item, index): [PushItem, Examined][] => {
      const examined = found[index];
      return examined === undefined ? [] : [[item, examined]];
    }),
  );
}

function lineFor(workspace: Workspace, { val, remote }: Examined, now: number): string {
  const { madeAt, madeBy } = remote?.newestVersion ?? {};
  return listLine([
    val.name,
    remote?.version === undefined ? '' : `version ${cellText(remote.version)}`,
    madeAt === undefined ? '' : `changed ${age(madeAt, now)}`,
    madeBy === undefined ? '' : `by ${madeBy}`,
    pathTo(workspace, val.file),
  ]);
}
