import { runBatch, type Task } from '../../core/command-line/batch.ts';
import type { Run } from '../../core/command-line/command.ts';
import type { ValsError } from '../../core/errors.ts';
import type { OutcomeRow } from '../../core/lib/outcome.ts';
import type { Rows } from '../../core/output/result.ts';
import { pushWording } from '../../core/push/refuse-files.ts';
import { refuseBrokenCode } from '../../core/push/syntax.ts';
import { carryOut, type Done, type Push } from '../carry-out.ts';
import { withFreshRemotes } from '../look.ts';
import type { PlanOptions, Step } from '../plan.ts';
import { pathTo } from '../workspace.ts';
import { learnId } from '../write-records.ts';
import type { Answer, PlannedVal } from './ask.ts';
import { isSentWithoutId, warnOfRemarks } from './notes.ts';

interface CarryOutOptions extends PlanOptions {
  dryRun: boolean;
  noCheck: boolean;
  concurrency: number | 'auto';
  /** After a failure that concerns all vals, nothing is sent. */
  failed: ValsError | undefined;
}

export async function carryOutAll(
  run: Run,
  { planned, declined }: Answer,
  options: CarryOutOptions,
): Promise<Rows> {
  const { dryRun, concurrency, noCheck, failed } = options;
  const done = new Map<PlannedVal, Done>();
  const pathOf = ({ look, step }: PlannedVal) => pathTo(look.workspace, step.val.file);
  const tasks = planned.map((each): Task => {
    const { look, step } = each;
    const file = pathOf(each);
    const push: Push = {
      ...{ context: run, look, options, dryRun },
      checkCode: (path, code) => refuseBrokenCode(path, code, { noCheck }),
    };
    return {
      row: { file, name: step.val.name },
      label: file,
      verb: step.val.status === 'missing here' ? 'deleted' : undefined,
      async run() {
        const isFailure = step.kind === 'refuse' && step.refusal === failed;
        if (failed !== undefined && !isFailure) return undefined;
        if (declined.has(each)) return { status: 'skipped' };
        const result = await carryOut(push, step);
        done.set(each, result);
        return dryRun && run.out.forPerson ? { ...result.outcome, plan: planOf(step) } : result.outcome;
      },
    };
  });
  const { signal } = run.host;
  const consequence = declined.size === 0 ? undefined : notDone(declined.size, 'other val');
  const progress = dryRun ? 'Planning' : 'Pushing';
  const batch = { ...pushWording(run), concurrency, signal, progress, consequence };
  const outcomes = await runBatch(tasks, batch);
  const results = [...done].map(([each, { remarks, code }]) => ({
    ...{ file: pathOf(each), name: each.step.val.name },
    ...{ remarks, code },
  }));
  warnOfRemarks(run, results);
  return dryRun ? outcomes : withLearntIds(run, planned, outcomes);
}

/** In JSON, everything that a push would do is `planned`. A person sees what it would be. */
const planOf = ({ kind }: Step): string => (kind === 'send' ? 'update' : kind);

/** A service may answer a push without an id. Then the list tells it. */
async function withLearntIds(run: Run, planned: readonly PlannedVal[], outcomes: Rows): Promise<Rows> {
  const rows: OutcomeRow[] = [];
  // The list is read again, and once for each workspace.
  const looks = new Map(planned.map(({ look }) => [look, withFreshRemotes(run, look)]));
  for (const [index, row] of outcomes.rows.entries()) {
    const { look, step } = planned[index] ?? {};
    const fresh = look && looks.get(look);
    const isUnknown = fresh !== undefined && step !== undefined && isSentWithoutId(row);
    rows.push(isUnknown ? { ...row, ...(await learnId(fresh, step.val.name)) } : row);
  }
  return { ...outcomes, rows };
}

export const notDone = (count: number, thing: string): string =>
  `${count} ${thing}${count === 1 ? ' was' : 's were'} left as ${count === 1 ? 'it is' : 'they are'}.`;
