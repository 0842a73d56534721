import { refuseAll } from '../../cli/batch.ts';
import type { Context } from '../../cli/context.ts';
import { LocalError, type ValsError } from '../../errors.ts';
import type { OutcomesResult } from '../../terminal/result.ts';
import { checkName, checkSizes } from '../../workspace/sources/warnings.ts';
import { createAnnotations } from './github.ts';
import type { PushItem } from './item.ts';
import { fileAndName, pushReport } from './sent-rows.ts';
import type { SyntaxCheck } from './syntax-check.ts';

/** Limits the total of all files outside of a workspace. A file that does not fit is read again before it is sent. */
const maxCharactersInMemory = 8 * 1024 * 1024;

interface Checked {
  items: PushItem[];
  failure?: OutcomesResult;
}

export async function readAndCheck(
  context: Context,
  items: readonly PushItem[],
  syntax: SyntaxCheck,
): Promise<Checked> {
  const { say } = context;
  const checked: PushItem[] = [];
  const warnings: string[] = [];
  const failures = new Map<PushItem, ValsError>();
  const addWarning = (warning: string) => void warnings.push(warning);
  const keepCode = createCodeKeeper();
  const annotate = createAnnotations(context);
  for (const item of items) {
    try {
      const code = await item.read();
      if (code !== undefined) {
        checkName(item.name, addWarning);
        checkSizes({ code }, item.file, addWarning);
      }
      const read = keepCode(item, code);
      checked.push(read);
      if (code !== undefined) syntax.add(read, code);
    } catch (error) {
      if (!(error instanceof LocalError)) throw error;
      failures.set(item, error);
      annotate(item.file, error);
    }
  }
  if (failures.size > 0) {
    const failure = refuseAll(items, failures, { describe: fileAndName, report: pushReport(say) });
    return { items: checked, failure };
  }
  for (const warning of warnings) say({ kind: 'warning', text: warning });
  return { items: checked };
}

function createCodeKeeper(): (item: PushItem, code: string | undefined) => PushItem {
  let charactersKept = 0;
  return (item, code) => {
    // The file of a val is read again after its record. If another command changed both since the check, old code
    // would be compared with a new record, and the push could overwrite newer code on the service.
    if (item.val !== undefined) return item;
    const characters = charactersKept + (code?.length ?? 0);
    if (characters > maxCharactersInMemory && item.canReadAgain) return item;
    charactersKept = characters;
    return { ...item, read: async () => code };
  };
}
