import { resolve } from 'node:path';
import { forEach } from '../../cli/batch.ts';
import type { Context } from '../../cli/context.ts';
import type { ValsError } from '../../errors.ts';
import { findSuspects, type SyntaxFault } from '../../run/check-syntax.ts';
import type { OutcomesResult } from '../../terminal/result.ts';
import { faultsIn, isChecked, syntaxError } from '../shared/syntax.ts';
import { createAnnotations } from './github.ts';
import type { PushItem } from './item.ts';
import { refusePush } from './sent-rows.ts';

/** By their paths, only files with a syntax error. */
export type Faults = ReadonlyMap<string, readonly [SyntaxFault, ...SyntaxFault[]]>;

export interface SyntaxCheck {
  /** Begins to parse as soon as there are enough files. */
  add(item: PushItem, code: string): void;
  finish(): Promise<Faults>;
}

export const withoutCheck: SyntaxCheck = { add() {}, finish: async () => new Map() };

const filesPerBuild = 250;
const leastForBuild = 10;

/** Parses files while others are read, and while the connection is made. */
export function createSyntaxCheck(cwd: string): SyntaxCheck {
  const found = new Map<string, [SyntaxFault, ...SyntaxFault[]]>();
  const running: Promise<void>[] = [];
  let waiting: PushItem[] = [];
  /** The codes of the waiting files, so that no file is read again. */
  const codes = new Map<PushItem, string>();

  async function parse(items: readonly PushItem[]): Promise<void> {
    const isInFile = ({ canReadAgain }: PushItem) => canReadAgain;
    const isMany = items.filter(isInFile).length >= leastForBuild;
    const pathOf = ({ file }: PushItem) => resolve(cwd, file);
    const suspects = isMany ? await findSuspects(items.filter(isInFile).map(pathOf)) : undefined;
    const toParse = items.filter((item) => !isInFile(item) || (suspects?.has(pathOf(item)) ?? true));
    await forEach(toParse, 'auto', async (item) => {
      const [first, ...others] = await faultsIn(item.file, codes.get(item) ?? '');
      if (first !== undefined) found.set(item.file, [first, ...others]);
    });
    for (const item of items) codes.delete(item);
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
      if (!isChecked(item.file)) return;
      waiting.push(item);
      codes.set(item, code);
      if (waiting.length >= filesPerBuild) parseWaiting();
    },
    async finish() {
      parseWaiting();
      await Promise.all(running);
      return found;
    },
  };
}

/** Returns undefined if no broken file would be sent: a file in conflict is not, for example. */
export function refuseBroken<Item extends PushItem>(
  context: Context,
  items: readonly Item[],
  faults: Faults,
  isSent: (item: Item) => boolean,
): OutcomesResult | undefined {
  const failures = new Map<Item, ValsError>();
  for (const item of items) {
    const [fault] = faults.get(item.file) ?? [];
    if (fault !== undefined && isSent(item)) failures.set(item, syntaxError(item.file, fault));
  }
  if (failures.size === 0) return undefined;
  const annotate = createAnnotations(context);
  for (const [{ file }, error] of failures) annotate(file, error);
  return refusePush(context.say, items, failures);
}
