import { resolve } from 'node:path';
import { forEach, refuseAll } from '../../cli/batch.ts';
import type { Context } from '../../cli/context.ts';
import { ValsError } from '../../errors.ts';
import { findSuspects, type SyntaxFault } from '../../run/check-syntax.ts';
import type { OutcomesResult } from '../../terminal/result.ts';
import type { Workspace } from '../../workspace/workspace.ts';
import { faultsIn, isChecked, syntaxError } from '../shared/syntax.ts';
import { createAnnotations } from './github.ts';
import type { PushItem } from './item.ts';
import type { ItemSender } from './send-item.ts';
import { fileAndName, pushReport } from './sent-rows.ts';

/** Only files with a syntax error are in the map. */
export type Faults = ReadonlyMap<PushItem, readonly [SyntaxFault, ...SyntaxFault[]]>;

export interface SyntaxCheck {
  /** Begins to parse as soon as there are enough files. */
  add(item: PushItem, code: string): void;
  finish(): Promise<Faults>;
}

export const withoutCheck: SyntaxCheck = { add() {}, finish: async () => new Map() };

interface CheckOptions {
  cwd: string;
  workspace?: Workspace | undefined;
  /** With --force, a file that is named is sent although it did not change. */
  checksUnchanged: boolean;
}

const filesPerBuild = 250;
const leastForBuild = 10;

/** Parses files while others are read, and while the connection is made. */
export function createSyntaxCheck({ cwd, workspace, checksUnchanged }: CheckOptions): SyntaxCheck {
  const found = new Map<PushItem, [SyntaxFault, ...SyntaxFault[]]>();
  const running: Promise<void>[] = [];
  let waiting: PushItem[] = [];
  /** The code of standard input and of pipes. */
  const codes = new Map<PushItem, string>();
  const mayBeSent = ({ val }: PushItem, code: string) =>
    val === undefined || checksUnchanged || workspace?.records.of(val)?.code !== code;

  async function parse(items: readonly PushItem[]): Promise<void> {
    const isInFile = ({ canReadAgain }: PushItem) => canReadAgain;
    const isMany = items.filter(isInFile).length >= leastForBuild;
    const pathOf = ({ file }: PushItem) => resolve(cwd, file);
    const suspects = isMany ? await findSuspects(items.filter(isInFile).map(pathOf)) : undefined;
    const toParse = items.filter((item) => !isInFile(item) || (suspects?.has(pathOf(item)) ?? true));
    await forEach(toParse, 'auto', async (item) => {
      const [first, ...others] = await faultsIn(item.file, codes.get(item) ?? (await item.read()) ?? '');
      if (first !== undefined) found.set(item, [first, ...others]);
    });
  }

  function parseWaiting(): void {
    const parsing = parse(waiting);
    // `finish` throws the error.
    parsing.catch(() => {});
    running.push(parsing);
    waiting = [];
  }

  return {
    add(item, code) {
      if (!isChecked(item.file) || !mayBeSent(item, code)) return;
      waiting.push(item);
      if (!item.canReadAgain) codes.set(item, code);
      if (waiting.length >= filesPerBuild) parseWaiting();
    },
    async finish() {
      parseWaiting();
      await Promise.all(running);
      return found;
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
  await forEach([...faults], 'auto', async ([item, [fault]]) => {
    try {
      const { status } = await trial(item, () => {});
      if (status === 'planned') failures.set(item, syntaxError(item.file, fault));
    } catch (error) {
      // The push itself will report the error.
      if (!(error instanceof ValsError)) throw error;
    }
  });
  if (failures.size === 0) return undefined;
  const annotate = createAnnotations(context);
  for (const [{ file }, error] of failures) annotate(file, error);
  return refuseAll(items, failures, { describe: fileAndName, report: pushReport(context.say) });
}
