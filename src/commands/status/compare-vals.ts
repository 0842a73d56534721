import { forEach } from '../../cli/batch.ts';
import type { Context } from '../../cli/context.ts';
import { LocalError, messageWithHint, ValsError } from '../../errors.ts';
import { warnWith } from '../../lib/say.ts';
import { type Examined, examine, recordIfSame } from '../../workspace/examine.ts';
import { followMoves, viewWorkspace } from '../../workspace/moved.ts';
import { createRemoteVals } from '../../workspace/remote-vals.ts';
import { type SelectedVal, selectVals, wordsOfOneWorkspace } from '../../workspace/select.ts';
import { otherServiceWarning, type Workspace } from '../../workspace/workspace.ts';
import { createWorkspaces } from '../../workspace/workspaces.ts';

interface Compared {
  workspace: Workspace;
  examined: Examined[];
  /** The files that cannot be compared. The others are in `examined`. */
  error: ValsError | undefined;
}

export async function compareVals(
  context: Context,
  words: readonly string[],
  { keepsCode }: { keepsCode(examined: Examined): boolean },
): Promise<Compared> {
  const { connect, say } = context;
  const workspaces = createWorkspaces(context);
  const isAgent = context.agent !== undefined;
  const { workspace: opened, words: chosen } = wordsOfOneWorkspace(workspaces, words);
  const workspace = isAgent ? await viewWorkspace(opened) : await followMoves(opened, context);
  const vals = await selectVals(workspaces, workspace, chosen, warnWith(say));
  const serviceWarning = otherServiceWarning(workspace.service, vals);
  if (serviceWarning !== undefined) say({ kind: 'warning', text: serviceWarning });
  const api = await connect();
  const examined: (Examined | undefined)[] = [];
  const errors: ValsError[] = [];
  const remotes = createRemoteVals({ ...context, api }, vals.length);
  let finished = 0;
  const show = () => say({ kind: 'progress', text: `Comparing ${finished} of ${vals.length} vals` });
  show();
  const compareVal = async (val: SelectedVal): Promise<Examined> => {
    if (val.problem !== undefined) throw val.problem;
    const each = await examine(workspace, remotes, val);
    recordIfSame(workspace, each);
    return each.code !== 'unchanged' && keepsCode(each) ? each : withoutCode(each);
  };
  await forEach(vals, 'auto', async (val, index) => {
    try {
      examined[index] = await compareVal(val);
    } catch (error) {
      if (!(error instanceof LocalError) && error !== val.problem) throw error;
      if (error instanceof ValsError) errors.push(error);
    }
    finished += 1;
    show();
  });
  const [first, ...others] = new Map(errors.map((error) => [error.message, error])).values();
  for (const error of others) say({ kind: 'warning', text: messageWithHint(error) });
  return { workspace, examined: examined.filter((each) => each !== undefined), error: first };
}

/** The code of thousands of vals would fill the memory. */
const withoutCode = ({ here, record, recorded, remote, ...facts }: Examined): Examined => ({
  ...facts,
  here: here === undefined ? undefined : '',
  record: record && { ...record, code: '' },
  recorded: recorded && { ...recorded, code: '' },
  remote: remote && { ...remote, code: '' },
});
