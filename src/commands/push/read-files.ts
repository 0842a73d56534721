// Reads and checks all files before anything is sent.
import type { Context } from '../../cli/context.ts';
import { LocalError, type ValsError } from '../../errors.ts';
import type { OutcomesResult } from '../../terminal/result.ts';
import { type LocalSide, localSideOf, recordOf } from '../../workspace/examine.ts';
import { checkName, checkSizes } from '../../workspace/sources/warnings.ts';
import { createAnnotations } from './github.ts';
import type { PushItem } from './item.ts';
import { refusePush } from './sent-rows.ts';
import type { SyntaxCheck } from './syntax-check.ts';

/** Limits the total of all files outside of a workspace. A file that does not fit is read again before it is sent. */
const maxCharactersInMemory = 8 * 1024 * 1024;

export interface ReadItem extends PushItem {
  /** Of a file of a workspace. */
  local?: LocalSide;
}

interface ReadOptions {
  syntax: SyntaxCheck;
  /** With --force, a file that is named is sent although it did not change. */
  mayResend: boolean;
}

export async function readFiles(
  context: Context,
  items: readonly PushItem[],
  { syntax, mayResend }: ReadOptions,
): Promise<{ items: ReadItem[]; failure?: OutcomesResult }> {
  const { say } = context;
  const read: ReadItem[] = [];
  const warnings: string[] = [];
  const failures = new Map<PushItem, ValsError>();
  const addWarning = (warning: string) => void warnings.push(warning);
  const keepCode = createCodeKeeper();
  const annotate = createAnnotations(context);
  for (const item of items) {
    const { workspace } = item;
    try {
      // The record must be read before the code, see `readLocalTexts`.
      const record = workspace && item.val && recordOf(workspace, item.val);
      const code = await item.read();
      if (code !== undefined) {
        checkName(item.name, addWarning);
        checkSizes({ code }, item.file, addWarning);
      }
      const isTracked = item.val !== undefined && workspace !== undefined;
      const kept: ReadItem = isTracked
        ? { ...item, local: localSideOf({ record, code }) }
        : keepCode(item, code);
      read.push(kept);
      const mayBeSent = !isTracked || mayResend || kept.local?.here?.hash !== record?.hash;
      if (code !== undefined && mayBeSent) syntax.add(kept, code);
    } catch (error) {
      if (!(error instanceof LocalError)) throw error;
      failures.set(item, error);
      annotate(item.file, error);
    }
  }
  if (failures.size > 0) {
    return {
      items: read,
      failure: refusePush(say, items, failures),
    };
  }
  for (const warning of warnings) say({ kind: 'warning', text: warning });
  return { items: read };
}

function createCodeKeeper(): (item: PushItem, code: string | undefined) => PushItem {
  let charactersKept = 0;
  return (item, code) => {
    const characters = charactersKept + (code?.length ?? 0);
    if (characters > maxCharactersInMemory && item.canReadAgain) return item;
    charactersKept = characters;
    return { ...item, read: async () => code };
  };
}
