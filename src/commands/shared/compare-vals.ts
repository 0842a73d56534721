// Compares many vals with the service, several at a time, and shows the progress.

import { forEach } from '../../cli/batch.ts';
import type { Context } from '../../cli/context.ts';
import { LocalError } from '../../errors.ts';
import { type Examined, examine } from '../../workspace/examine.ts';
import { followMoves, viewWorkspace } from '../../workspace/moved.ts';
import { createRemoteVals } from '../../workspace/remote-vals.ts';
import { selectVals } from '../../workspace/select.ts';
import { openWorkspace, pushedElsewhere } from '../../workspace/workspace.ts';

interface Compared {
  examined: Examined[];
  /** The error for the first file that cannot be read. The errors for other files are printed as warnings. */
  error: LocalError | undefined;
}

/** Compares the vals that the words name. If there are no words, compares all vals of the workspace. */
export async function compareVals(context: Context, words: readonly string[]): Promise<Compared> {
  const { progress, connect, say } = context;
  const opened = openWorkspace(context);
  const isAgent = context.agent !== undefined;
  const workspace = isAgent ? await viewWorkspace(opened, say.warn) : await followMoves(opened, context);
  const vals = await selectVals(workspace, words, say.warn);
  const elsewhere = pushedElsewhere(workspace.service, vals);
  if (elsewhere) say.warn(elsewhere);
  const api = await connect();
  const examined: (Examined | undefined)[] = [];
  const errors: LocalError[] = [];
  const remotes = createRemoteVals({ ...context, api }, vals.length);
  let finished = 0;
  const show = () => progress.show(`Comparing ${finished} of ${vals.length}`);
  show();
  await forEach(vals, 'auto', async (val, index) => {
    try {
      examined[index] = withoutEqualCodes(await examine(workspace, remotes, val));
    } catch (error) {
      if (!(error instanceof LocalError)) throw error;
      errors.push(error);
    }
    finished += 1;
    show();
  });
  // A command that crashed may have left changes that vals.json does not have yet. They are saved now. If this fails,
  // the command continues, because the comparison is still right.
  if (!isAgent) await workspace.saveManifest();
  const [, ...others] = new Set(errors.map(({ message }) => message));
  for (const message of others) say.warn(message);
  return { examined: examined.filter((each) => each !== undefined), error: errors[0] };
}

/** Removes the code of unchanged vals from memory. Otherwise the code of thousands of vals would fill the memory. */
function withoutEqualCodes(examined: Examined): Examined {
  if (examined.status !== 'unchanged') return examined;
  const remote = examined.remote && { ...examined.remote, code: '' };
  return { ...examined, here: undefined, base: undefined, remote };
}
