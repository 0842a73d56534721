// Reads and checks all files of a push before anything is sent.
import { noneBegun } from '../../cli/batch.ts';
import type { Context } from '../../cli/context.ts';
import { LocalError, type ValsError } from '../../errors.ts';
import type { OutcomesResult } from '../../terminal/result.ts';
import { checkName, checkSizes } from '../../workspace/sources/warnings.ts';
import { annotateFailure } from './github.ts';
import { identify, type PushItem, reportTo } from './plan.ts';

/** How many characters of code are kept in memory. Other files are read again when they are sent. */
const mostKept = 8 * 1024 * 1024;

/** Returns the items, or outcomes if a file cannot be read. Then nothing may be sent. */
export async function checkAll(
  context: Context,
  items: readonly PushItem[],
): Promise<PushItem[] | OutcomesResult> {
  const { say } = context;
  const checked: PushItem[] = [];
  const warnings: string[] = [];
  const failures = new Map<PushItem, ValsError>();
  const addWarning = (warning: string) => void warnings.push(warning);
  let kept = 0;
  for (const item of items) {
    try {
      const code = await item.read();
      if (code !== undefined) {
        checkName(item.name, addWarning);
        checkSizes({ code }, item.file, addWarning);
      }
      const length = code?.length ?? 0;
      const isKept = kept + length <= mostKept || !item.canReadAgain;
      if (isKept) kept += length;
      checked.push(isKept ? withCode(item, code) : item);
    } catch (error) {
      if (!(error instanceof LocalError)) throw error;
      failures.set(item, error);
      annotateFailure(context, item.file, error);
    }
  }
  if (failures.size > 0) return noneBegun(items, failures, { describe: identify, report: reportTo(say) });
  for (const warning of warnings) say.warn(warning);
  return checked;
}

/** Not inline: a closure created in the loop would keep the code of every file in memory. */
const withCode = (item: PushItem, code: string | undefined): PushItem => ({
  ...item,
  read: async () => code,
});
