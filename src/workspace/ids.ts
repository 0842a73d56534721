// Keeps the ids of vals in vals.json, for services that cannot list vals, and says what is to be committed.
import type { Context } from '../core/command-line/command.ts';
import { LocalError, messageWithHint, ValsError } from '../core/errors.ts';
import { listed, someOf } from '../core/lib/hint.ts';
import { isOfThisMachine, type Manifest, updateManifest, withIds, withoutIds } from './manifest.ts';
import { noteOnce } from './push/notes.ts';
import type { Session } from './session.ts';
import { wordsOrPlaceholder } from './states.ts';

/**
 * Writes the ids, by the names of their vals, that vals.json does not have. On GitHub nobody commits, so the annotation has
 * them. Returns the error of the command: the given one, or why the ids were not written.
 */
export async function writeIds(
  context: Context,
  session: Session,
  ids: Iterable<readonly [string, string]>,
  failure: ValsError | undefined,
): Promise<ValsError | undefined> {
  const { workspace, manifestIds, valList } = session;
  const { service, root } = workspace;
  if (isOfThisMachine(service)) return failure;
  const newIds = new Map([...ids].filter(([name, id]) => manifestIds.get(name) !== id));
  if (newIds.size === 0 || (await valList.canList())) return failure;
  const replaced = [...newIds].flatMap(([name, id]) => {
    const before = manifestIds.get(name);
    return before === undefined ? [] : `${id} as "${name}" in place of ${before}`;
  });
  const added = newIds.size - replaced.length;
  const some = added === 1 ? 'the id of a val' : `the ids of ${added} vals`;
  const what = listed([...(added > 0 ? [some] : []), ...replaced]);
  const entry = JSON.stringify({ [service]: Object.fromEntries(newIds) });
  return changeIds(context, root, failure, {
    change: withIds(service, newIds),
    text: `vals.json has ${what} now, because this service cannot list vals. Commit vals.json. Until then, the next job and other clones cannot find ${newIds.size === 1 ? 'the val' : 'the vals'}.`,
    inJob: `The next job and other clones cannot find ${someOf([...newIds.keys()])} until vals.json has ${newIds.size === 1 ? 'the id' : 'the ids'}. In a clone, run \`vals pull ${wordsOrPlaceholder([...newIds.values()], '<id...>').join(' ')}\`, which writes "ids": ${entry}, and commit vals.json.`,
    otherwise: `It lacks "ids": ${entry}.`,
  });
}

/** Takes the ids of vals that a prune deleted out of vals.json. Otherwise a file that comes back would be a conflict. */
export function removeIds(
  context: Context,
  { workspace, manifestIds }: Session,
  ids: ReadonlySet<string>,
  failure: ValsError | undefined,
): ValsError | undefined {
  const names = [...manifestIds].flatMap(([name, id]) => (ids.has(id) ? name : []));
  if (names.length === 0) return failure;
  const vals = names.length === 1 ? 'that val is' : 'those vals are';
  return changeIds(context, workspace.root, failure, {
    change: withoutIds(workspace.service, ids),
    text: `"ids" of vals.json does not have ${someOf(names)} any more, because ${vals} gone. Commit vals.json.`,
    inJob: `Remove ${someOf(names)} from "ids" of vals.json, because ${vals} gone.`,
    otherwise: `Its "ids" still have ${someOf(names)}.`,
  });
}

interface Change {
  change(before: Manifest): Manifest;
  text: string;
  /** In a job, nobody commits. */
  inJob: string;
  /** What is so if vals.json cannot be written. */
  otherwise: string;
}

function changeIds(
  context: Context,
  root: string,
  failure: ValsError | undefined,
  { change, text, inJob, otherwise }: Change,
): ValsError | undefined {
  try {
    updateManifest(root, change);
  } catch (error) {
    if (!(error instanceof ValsError)) throw error;
    const notWritten = new LocalError(`${error.message} ${otherwise}`, error.facts);
    if (failure === undefined) return notWritten;
    context.out.say({ kind: 'warning', text: messageWithHint(notWritten) });
    return failure;
  }
  noteOnce(context, text, '', inJob);
  return failure;
}
