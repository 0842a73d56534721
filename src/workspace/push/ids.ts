// A service that cannot list vals tells an id once. So vals.json keeps it, for other machines.
import { isOfThisMachine } from '../../core/settings/settings.ts';
import type { Done } from '../carry-out.ts';
import { updateManifest, withIds } from '../manifest.ts';
import { type Step, subjectOf } from '../plan.ts';
import type { Look } from '../read/look.ts';

/** Writes the ids of vals that were made or overwritten, and returns those that vals.json did not have. */
export async function learnIds(
  { workspace, written, remotes }: Look,
  done: ReadonlyMap<Step, Done>,
): Promise<ReadonlyMap<string, string>> {
  const { service, root } = workspace;
  if (isOfThisMachine(service)) return new Map();
  const learnt = new Map<string, string>();
  for (const [step, { id, code }] of done) {
    const { name } = subjectOf(step);
    if (id !== undefined && code !== undefined && written.get(name) !== id) learnt.set(name, id);
  }
  if (learnt.size === 0 || (await remotes.canList())) return new Map();
  updateManifest(root, withIds(service, learnt));
  return learnt;
}
