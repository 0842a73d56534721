// A service that cannot list vals tells an id once. So vals.json keeps it, for other machines.
import type { Context } from '../core/command-line/command.ts';
import { LocalError, messageWithHint, type ValsError } from '../core/errors.ts';
import { updateManifest, withIds } from './manifest.ts';
import { noteOnce } from './note-once.ts';
import type { Look } from './read/look.ts';
import { isOfThisMachine } from './service-name.ts';

/**
 * Writes the ids, by the names of their vals, that vals.json does not have. On GitHub nobody commits, so the annotation has
 * them. Returns the error of the command: the given one, or why the ids were not written.
 */
export async function learnIds(
  context: Context,
  look: Look,
  ids: Iterable<readonly [string, string]>,
  failure: ValsError | undefined,
): Promise<ValsError | undefined> {
  const { workspace, written, valList } = look;
  const { service, root } = workspace;
  if (isOfThisMachine(service)) return failure;
  const learnt = new Map([...ids].filter(([name, id]) => written.get(name) !== id));
  if (learnt.size === 0 || (await valList.canList())) return failure;
  const what = learnt.size === 1 ? 'the id of a val' : `the ids of ${learnt.size} vals`;
  const entry = JSON.stringify({ [service]: Object.fromEntries(learnt) });
  try {
    updateManifest(root, withIds(service, learnt));
  } catch (error) {
    if (!(error instanceof LocalError)) throw error;
    const notWritten = new LocalError(`${error.message} It lacks "ids": ${entry}.`, error.facts);
    if (failure === undefined) return notWritten;
    context.out.say({ kind: 'warning', text: messageWithHint(notWritten) });
    return failure;
  }
  const text = `vals.json has ${what} now, because this service cannot list vals. Commit vals.json.`;
  noteOnce(context, text, '', `It has "ids": ${entry}`);
  return failure;
}
