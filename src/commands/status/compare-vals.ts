import { forEach } from '../../cli/batch.ts';
import type { Context } from '../../cli/context.ts';
import { LocalError, messageWithHint, ValsError } from '../../errors.ts';
import { warnWith } from '../../lib/say.ts';
import { examine, localSideOf, readLocalTexts, recordIfSame } from '../../workspace/examine.ts';
import { applyMoves, findMoves, type LikelyMove } from '../../workspace/moves.ts';
import { type PlanOptions, type Step, stepFor, withoutCode } from '../../workspace/plan.ts';
import { createRemoteVals } from '../../workspace/remote-vals.ts';
import { type SelectedVal, selectVals, workspaceOfWords } from '../../workspace/select.ts';
import { otherServiceWarning, type Workspace } from '../../workspace/workspace.ts';
import { createWorkspaces } from '../../workspace/workspaces.ts';

/** What a push without a flag would do with a val. */
export interface ComparedVal {
  step: Step;
  /** The codes of the file and of the service, if they differ and the command needs them. */
  here?: string | undefined;
  there?: string | undefined;
}

interface Compared {
  workspace: Workspace;
  vals: ComparedVal[];
  likelyMoves: readonly LikelyMove[];
  /** The files that cannot be compared. The others are in `vals`. */
  error: ValsError | undefined;
}

const nothingAllowed: PlanOptions = {
  ...{ force: false, isNamed: false, isSave: false, mayOverwrite: false, fork: false, prune: false },
  ...{ ifVersion: undefined, likelyMoves: [] },
};

export async function compareVals(
  context: Context,
  words: readonly string[],
  { keepsCode }: { keepsCode: boolean },
): Promise<Compared> {
  const { connect, say } = context;
  const workspaces = createWorkspaces(context);
  const workspace = workspaceOfWords(workspaces, words);
  const selected = await selectVals(workspaces, workspace, words, warnWith(say));
  const serviceWarning = otherServiceWarning(workspace.service, selected);
  if (serviceWarning !== undefined) say({ kind: 'warning', text: serviceWarning });
  const remotes = createRemoteVals({ ...context, api: await connect() }, selected.length);
  const moves = await findMoves(workspace, async () => remotes);
  const vals = applyMoves(workspace, selected, moves);
  const compared: (ComparedVal | undefined)[] = [];
  const errors: ValsError[] = [];
  let finished = 0;
  const show = () => say({ kind: 'progress', text: `Comparing ${finished} of ${vals.length} vals` });
  show();
  const compareVal = async (val: SelectedVal): Promise<ComparedVal> => {
    if (val.problem !== undefined) throw val.problem;
    const texts = readLocalTexts(workspace, val);
    const examined = await examine(workspace, remotes, val, localSideOf(texts));
    recordIfSame(workspace, examined);
    const step = stepFor(workspace, val, withoutCode(examined), nothingAllowed);
    if (!keepsCode || examined.code === 'unchanged') return { step };
    return { step, here: texts.code, there: examined.remote && (examined.remote.code ?? texts.record?.code) };
  };
  await forEach(vals, 'auto', async (val: SelectedVal, index) => {
    try {
      compared[index] = await compareVal(val);
    } catch (error) {
      if (!(error instanceof LocalError) && error !== val.problem) throw error;
      if (error instanceof ValsError) errors.push(error);
    }
    finished += 1;
    show();
  });
  const [first, ...others] = new Map(errors.map((error) => [error.message, error])).values();
  for (const error of others) say({ kind: 'warning', text: messageWithHint(error) });
  // A val that is neither here nor on the service is not shown.
  const shown = compared.filter((each) => each !== undefined).filter(({ step }) => step.why !== 'gone');
  return { workspace, vals: shown, likelyMoves: moves.likely, error: first };
}
