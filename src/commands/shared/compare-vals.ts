import { forEach } from '../../cli/batch.ts';
import type { Context } from '../../cli/context.ts';
import { LocalError } from '../../errors.ts';
import { type Examined, examine, recordUnchanged } from '../../workspace/examine.ts';
import { followMoves, viewWorkspace } from '../../workspace/moved.ts';
import { createRemoteVals } from '../../workspace/remote-vals.ts';
import { selectVals } from '../../workspace/select.ts';
import { openWorkspace, otherServiceWarning } from '../../workspace/workspace.ts';

interface Compared {
  examined: Examined[];
  error: LocalError | undefined;
}

interface CompareOptions {
  keepsRemoteCode(examined: Examined): boolean;
}

export async function compareVals(
  context: Context,
  words: readonly string[],
  { keepsRemoteCode }: CompareOptions,
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
  let finished = 0;
  const show = () => progress.show(`Comparing ${finished} of ${vals.length} vals`);
  show();
  await forEach(vals, 'auto', async (val, index) => {
    try {
      const each = await examine(workspace, remotes, val);
      recordUnchanged(workspace, each, 'read');
      const trimmed = withoutEqualCodes(each);
      examined[index] = keepsRemoteCode(trimmed) ? trimmed : withoutRemoteCode(trimmed);
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
  return { examined: examined.filter((each) => each !== undefined), error: errors[0] };
}

/** The code of unchanged vals is dropped, because the code of thousands of vals would fill the memory. */
function withoutEqualCodes(examined: Examined): Examined {
  if (examined.status !== 'unchanged') return examined;
  return { ...withoutRemoteCode(examined), here: undefined, base: undefined, recorded: undefined };
}

const withoutRemoteCode = (examined: Examined): Examined => ({
  ...examined,
  remote: examined.remote && { ...examined.remote, code: '' },
});
