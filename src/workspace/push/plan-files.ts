// Compares the files of a push with their vals, and makes a step of each.
import type { Run } from '../../core/command-line/command.ts';
import { ValsError } from '../../core/errors.ts';
import { type Examined, type FileToExamine, withoutVal } from '../examine.ts';
import { examineAll, noteLimit } from '../examine-all.ts';
import type { Look } from '../look.ts';
import { examineMissing, type LeftVal, limitOfMissing } from '../missing.ts';
import { type PlanOptions, type Step, stepFor } from '../plan.ts';
import { pathTo } from '../workspace.ts';
import type { PlannedVal } from './ask.ts';
import type { LocalFile } from './read-files.ts';

interface Plan {
  planned: PlannedVal[];
  /** Vals that --prune leaves, with the reason. */
  left: (LeftVal & { look: Look })[];
  /** After a failure that concerns all vals, nothing is sent. */
  failed: ValsError | undefined;
}

export async function planAll(
  run: Run,
  files: readonly LocalFile[],
  looks: readonly Look[],
  options: PlanOptions,
): Promise<Plan> {
  const plan: Plan = { planned: [], left: [], failed: undefined };
  for (const look of looks) {
    const mine = files.filter((file) => file.look === look).map(({ local }) => local);
    const { results, failure } = await examineAll(run, look, mine);
    plan.failed ??= failure;
    results.forEach((result, index) => {
      const file = mine[index];
      if (file === undefined) return;
      plan.planned.push({ look, step: stepOf(look, file, result, options) });
    });
    if (plan.failed !== undefined) continue;
    const compared = results.filter((result): result is Examined => !(result instanceof ValsError));
    if (options.prune) {
      const { missing, left } = await examineMissing(look, compared, { isPrune: true });
      plan.planned.push(...missing.map((val) => ({ look, step: stepFor(look.workspace, val, options) })));
      plan.left.push(...left.map((val) => ({ ...val, look })));
      noteLimit(run, await limitOfMissing(look, [...compared, ...missing]));
    } else if (compared.some(({ status }) => status === 'new')) {
      // In a shallow clone, a new file may be a renamed one.
      const limit = await limitOfMissing(look, compared);
      if (limit === 'shallow') noteLimit(run, limit);
    }
  }
  return plan;
}

/** An error about one val is its step, so that the other vals are pushed. */
function stepOf(look: Look, file: FileToExamine, result: Examined | ValsError, options: PlanOptions): Step {
  if (!(result instanceof ValsError)) return stepFor(look.workspace, result, options);
  return { kind: 'refuse', val: withoutVal({ ...file, record: undefined }), refusal: result };
}

export function noteLeft({ out: { say } }: Run, left: Plan['left']): void {
  for (const { look, name, file, movedTo } of left) {
    const path = pathTo(look.workspace, file);
    say({
      kind: 'note',
      text:
        movedTo !== undefined
          ? `The val "${name}" was left, because git moved its file ${path} to ${pathTo(look.workspace, movedTo)}.`
          : `The val "${name}" was left: git deleted ${path}, but it does not have the code that the val has now. Somebody changed the val, or made another one of that name.`,
    });
  }
}
