// A service that cannot list vals tells an id once. So vals.json keeps it, for other machines.
import type { Run } from '../core/command-line/command.ts';
import { updateManifest, withIds } from './manifest.ts';
import { noteOnce } from './note-once.ts';
import type { Look } from './read/look.ts';
import { isOfThisMachine } from './service.ts';

/** Writes the ids, by the names of their vals, that vals.json does not have. On GitHub nobody commits, so the annotation has them. */
export async function learnIds(
  run: Run,
  look: Look,
  ids: Iterable<readonly [string, string]>,
): Promise<void> {
  const { workspace, written, directory } = look;
  const { service, root } = workspace;
  if (isOfThisMachine(service)) return;
  const learnt = new Map([...ids].filter(([name, id]) => written.get(name) !== id));
  if (learnt.size === 0 || (await directory.canList())) return;
  updateManifest(root, withIds(service, learnt));
  const what = learnt.size === 1 ? 'the id of a val' : `the ids of ${learnt.size} vals`;
  const entry = JSON.stringify({ [service]: Object.fromEntries(learnt) });
  const text = `vals.json has ${what} now, because this service cannot list vals. Commit vals.json.`;
  noteOnce(run, text, '', `It has "ids": ${entry}`);
}
