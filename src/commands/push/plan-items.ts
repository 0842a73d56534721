import { forEach } from '../../cli/batch.ts';
import type { Context } from '../../cli/context.ts';
import { concernsAll, InterruptedError, ValsError } from '../../errors.ts';
import { failedStep, type PlanOptions, planVal, type Step } from '../../workspace/plan.ts';
import type { RemoteVals } from '../../workspace/remote-vals.ts';
import type { WorkspaceVal } from '../../workspace/vals.ts';
import type { Workspace } from '../../workspace/workspace.ts';
import type { ReadItem } from './read-files.ts';

export interface PlannedItem extends ReadItem {
  /** What the user allowed for the val of a workspace. */
  options?: PlanOptions;
  /** Undefined for a file outside of workspaces, which is sent without a comparison. */
  step?: Step | undefined;
  /** Not planned, because the service refused the token. */
  isSkipped?: boolean;
}

type OptionsFor = (workspace: Workspace, val: WorkspaceVal) => PlanOptions;

export async function planItems(
  { say }: Context,
  items: readonly ReadItem[],
  remotes: RemoteVals,
  optionsFor: OptionsFor,
  endsPlanning: (error: ValsError) => boolean = concernsAll,
): Promise<PlannedItem[]> {
  const planned = items.map((item): PlannedItem => {
    const { workspace, val } = item;
    return workspace && val ? { ...item, options: optionsFor(workspace, val) } : item;
  });
  let failure: ValsError | undefined;
  let finished = 0;
  await forEach(planned, 'auto', async (item, index) => {
    const { workspace, val, local, options } = item;
    if (!workspace || !val || !local || !options) return;
    if (failure !== undefined) {
      planned[index] = { ...item, isSkipped: true };
      return;
    }
    try {
      const step =
        val.problem === undefined
          ? await planVal(workspace, remotes, { val, local }, options)
          : failedStep(val, local, val.problem);
      planned[index] = { ...item, step };
    } catch (error) {
      if (!(error instanceof ValsError) || error instanceof InterruptedError) throw error;
      if (endsPlanning(error)) failure ??= error;
      planned[index] = { ...item, step: failedStep(val, local, error) };
    }
    say({ kind: 'progress', text: `Comparing ${++finished} of ${items.length} vals` });
  });
  if (failure === undefined) return planned;
  // For example, nothing is sent after the service has refused the token.
  return planned.map((item) => (item.step?.refusal === failure ? item : { ...item, isSkipped: true }));
}
