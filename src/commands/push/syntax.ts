import { forEach, refuseAll } from '../../cli/batch.ts';
import type { Context } from '../../cli/context.ts';
import { ValsError } from '../../errors.ts';
import type { SyntaxFault } from '../../run/check-syntax.ts';
import type { OutcomesResult } from '../../terminal/result.ts';
import type { Workspace } from '../../workspace/workspace.ts';
import { faultsIn, isChecked, syntaxError } from '../shared/syntax.ts';
import { annotateFailure } from './github.ts';
import type { PushItem } from './item.ts';
import { fileAndName, pushReport } from './outcomes.ts';
import type { ItemSender } from './send-item.ts';

type Faults = ReadonlyMap<PushItem, SyntaxFault>;

export interface SyntaxCheck {
  /** Waits while much code is being parsed. */
  add(item: PushItem, code: string): Promise<void>;
  /** Only files with a syntax error are in the result. */
  faults(): Promise<Faults>;
}

export const withoutCheck: SyntaxCheck = { add: async () => {}, faults: async () => new Map() };

interface CheckOptions {
  workspace: Workspace | undefined;
  /** With --force, a file that is named is sent although it did not change. */
  sendsUnchanged: boolean;
}

const mostAtOnce = 64;

/** Parses files while others are read, and while the connection is made. */
export function createSyntaxCheck({ workspace, sendsUnchanged }: CheckOptions): SyntaxCheck {
  const parsed: Promise<[PushItem, SyntaxFault | undefined]>[] = [];
  const mayBeSent = ({ val }: PushItem, code: string) =>
    val === undefined || sendsUnchanged || workspace?.records.of(val)?.code !== code;
  return {
    async add(item, code) {
      if (!isChecked(item.file) || !mayBeSent(item, code)) return;
      const parsing = faultsIn(item.file, code).then(([fault]): [PushItem, SyntaxFault | undefined] => [
        item,
        fault,
      ]);
      // `faults` throws the error.
      parsing.catch(() => {});
      parsed.push(parsing);
      await parsed.at(-mostAtOnce)?.catch(() => {});
    },
    async faults() {
      const found = await Promise.all(parsed);
      return new Map(found.flatMap(([item, fault]) => (fault === undefined ? [] : [[item, fault]])));
    },
  };
}

/**
 * Returns undefined if no broken file would be sent. `trial` sends nothing. It finds out which files would be sent: a
 * file in conflict is not, and the same code may be on the service already.
 */
export async function refuseBroken(
  context: Context,
  items: readonly PushItem[],
  faults: Faults,
  trial: ItemSender['send'],
): Promise<OutcomesResult | undefined> {
  const failures = new Map<PushItem, ValsError>();
  await forEach([...faults], 'auto', async ([item, fault]) => {
    try {
      const { status } = await trial(item, () => {});
      if (status === 'planned') failures.set(item, syntaxError(item.file, fault));
    } catch (error) {
      // The push itself will report the error.
      if (!(error instanceof ValsError)) throw error;
    }
  });
  if (failures.size === 0) return undefined;
  for (const [{ file }, error] of failures) annotateFailure(context, file, error);
  return refuseAll(items, failures, { describe: fileAndName, report: pushReport(context.say) });
}
