import type { Context } from '../../cli/context.ts';
import type { ValsError } from '../../errors.ts';
import type { OutcomesResult } from '../../terminal/result.ts';
import { readBelow } from '../../workspace/disk/files.ts';
import { sendsCode } from '../../workspace/plan.ts';
import { pathTo } from '../../workspace/workspace.ts';
import { syntaxError } from '../shared/syntax.ts';
import type { Answer, PlannedVal } from './ask.ts';
import { type PushedFile, refuseFiles } from './refuse-files.ts';
import { createSyntaxCheck } from './syntax-check.ts';

/** Only files that would be sent are checked. */
export async function checkSyntax(
  context: Context,
  { planned, declined }: Answer,
  { noCheck, refusesAll }: { noCheck: boolean; refusesAll: boolean },
): Promise<{ broken?: OutcomesResult | undefined; checked: readonly PlannedVal[] }> {
  if (noCheck) return { checked: planned };
  const syntax = createSyntaxCheck(context.settings.cwd);
  const fileOf = ({ look, step }: PlannedVal) => pathTo(look.workspace, step.val.file);
  for (const each of planned.filter((one) => sendsCode(one.step) && !declined.has(one))) {
    const file = fileOf(each);
    const code = readBelow(each.look.workspace.root, each.step.val.file, file);
    if (code !== undefined) syntax.add({ file, canReadAgain: true }, code);
  }
  const faults = await syntax.finish();
  const errorOf = (file: string) => {
    const [fault] = faults.get(file) ?? [];
    return fault && syntaxError(file, fault);
  };
  if (refusesAll) {
    const files = planned.map((each) => ({ file: fileOf(each), name: each.step.val.name }));
    const errors = files.flatMap((file): [PushedFile, ValsError][] => {
      const error = errorOf(file.file);
      return error === undefined ? [] : [[file, error]];
    });
    return { broken: refuseFiles(context, files, new Map(errors)), checked: planned };
  }
  const checked = planned.map((each): PlannedVal => {
    const refusal = errorOf(fileOf(each));
    return refusal === undefined ? each : { ...each, step: { kind: 'refuse', val: each.step.val, refusal } };
  });
  return { checked };
}
