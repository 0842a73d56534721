import { join } from 'node:path';
import { forEach } from '../../cli/batch.ts';
import type { Context } from '../../cli/context.ts';
import { LocalError } from '../../errors.ts';
import type { Turn } from '../../lib/slots.ts';
import { type Examined, examine, recordUnchanged } from '../../workspace/examine.ts';
import { followMoves, viewWorkspace } from '../../workspace/moved.ts';
import { createRemoteVals } from '../../workspace/remote-vals.ts';
import { selectVals } from '../../workspace/select.ts';
import { createLargeCodeGate } from '../../workspace/sources/large-code.ts';
import type { WorkspaceVal } from '../../workspace/vals.ts';
import { openWorkspace, otherServiceWarning, type Workspace } from '../../workspace/workspace.ts';

interface Compared {
  workspace: Workspace;
  examined: Examined[];
  error: LocalError | undefined;
}

interface CompareOptions {
  keepsCode(examined: Examined): boolean;
}

export async function compareVals(
  context: Context,
  words: readonly string[],
  { keepsCode }: CompareOptions,
): Promise<Compared> {
  const { progress, connect, say } = context;
  const opened = openWorkspace(context);
  const isAgent = context.agent !== undefined;
  const workspace = isAgent ? await viewWorkspace(opened, say.warn) : await followMoves(opened, context);
  const vals = await selectVals(workspace, words, say.warn);
  const serviceWarning = otherServiceWarning(workspace.service, vals);
  if (serviceWarning !== undefined) say.warn(serviceWarning);
  const api = await connect();
  const examined: (Examined | undefined)[] = [];
  const errors: LocalError[] = [];
  const remotes = createRemoteVals({ ...context, api }, vals.length);
  const throughGate = createLargeCodeGate();
  let finished = 0;
  const show = () => progress.show(`Comparing ${finished} of ${vals.length} vals`);
  show();
  const compareVal = async (val: WorkspaceVal, turn: Turn): Promise<Examined> => {
    const each = await examine(workspace, remotes.inTurn(turn), val);
    recordUnchanged(workspace, each, 'read');
    return each.status !== 'unchanged' && keepsCode(each) ? each : withoutCode(each);
  };
  await forEach(vals, 'auto', async (val, index) => {
    try {
      examined[index] = await throughGate(join(workspace.root, val.file), (turn) => compareVal(val, turn));
    } catch (error) {
      if (!(error instanceof LocalError)) throw error;
      errors.push(error);
    }
    finished += 1;
    show();
  });
  if (!isAgent) await workspace.saveManifest();
  const [, ...others] = new Set(errors.map(({ message }) => message));
  for (const message of others) say.warn(message);
  return { workspace, examined: examined.filter((each) => each !== undefined), error: errors[0] };
}

/** The code of thousands of vals would fill the memory. */
const withoutCode = ({ here, base, recorded, remote, ...facts }: Examined): Examined => ({
  ...facts,
  here: here === undefined ? undefined : '',
  base: base && { ...base, code: '' },
  recorded: recorded && { ...recorded, code: '' },
  remote: remote && { ...remote, code: '' },
});
