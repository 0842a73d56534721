// Comparing many vals with the service, as many at a time as the service takes well, with a line that tells how far it is.

import { forEach } from '../../cli/batch.ts';
import type { Context } from '../../cli/context.ts';
import { type Examined, examine } from '../../workspace/examine.ts';
import { followMoves } from '../../workspace/moved.ts';
import { selectVals } from '../../workspace/select.ts';
import { openWorkspace } from '../../workspace/workspace.ts';

/** The vals that the words name, or all of them. */
export async function compareVals(context: Context, words: readonly string[]): Promise<Examined[]> {
  const { warn, progress, connect } = context;
  const workspace = await followMoves(openWorkspace(context), context);
  const vals = await selectVals(workspace, words, warn);
  const api = await connect();
  const examined: Examined[] = [];
  let finished = 0;
  const show = () => progress.show(`Comparing ${finished} of ${vals.length}`);
  show();
  await forEach(vals, { concurrency: 'auto', room: api.room }, async (val, index) => {
    examined[index] = await examine(workspace, api, val);
    finished += 1;
    show();
  });
  return examined;
}
