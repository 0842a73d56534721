// Comparing many vals with the service, as many at a time as the service takes well, with a line that tells how far it is.

import { forEach } from '../../cli/batch.ts';
import type { Context } from '../../cli/context.ts';
import { LocalError } from '../../errors.ts';
import { type Examined, examine } from '../../workspace/examine.ts';
import { followMoves } from '../../workspace/moved.ts';
import { createRemoteVals } from '../../workspace/remote-vals.ts';
import { selectVals } from '../../workspace/select.ts';
import { openWorkspace, pushedElsewhere } from '../../workspace/workspace.ts';

interface Compared {
  examined: Examined[];
  /** Of the first file that cannot be read, where there is one; the others are warned of. */
  error: LocalError | undefined;
}

/** The vals that the words name, or all of them. */
export async function compareVals(context: Context, words: readonly string[]): Promise<Compared> {
  const { progress, connect, say } = context;
  const workspace = await followMoves(openWorkspace(context), context);
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
  // What a crash left is written now; a folder that may only be read can be compared all the same.
  await workspace.saveManifest();
  const [, ...others] = new Set(errors.map(({ message }) => message));
  for (const message of others) say.warn(message);
  return { examined: examined.filter((each) => each !== undefined), error: errors[0] };
}

/** The equal codes of thousands of vals would fill the memory, and nobody looks at them. */
const withoutEqualCodes = (examined: Examined): Examined =>
  examined.status === 'unchanged'
    ? {
        ...examined,
        here: undefined,
        base: undefined,
        remote: examined.remote && { ...examined.remote, code: '' },
      }
    : examined;
