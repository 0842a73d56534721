import type { Context } from '../../command-line/command.ts';
import { labelOf } from '../../command-line/resolve-vals.ts';
import { InterruptedError, ValsError } from '../../errors.ts';
import type { GivenVal } from '../../find-val/find-val.ts';
import { someOf } from '../../lib/hint.ts';
import { type JsonObject, textAt } from '../../lib/json.ts';
import * as routes from '../../routes.ts';

/** Says which vals import those that are to be deleted, except for vals that are deleted together with them. */
export async function warnOfDependents(
  context: Pick<Context, 'api' | 'out'>,
  vals: readonly GivenVal[],
): Promise<void> {
  // Some services count the vals that import a val.
  const imported = vals.filter(({ read }) => read?.record.referenceCount !== 0);
  if (imported.length === 0) return;
  const { references, reason } = await readReferences(context);
  if (reason !== undefined) {
    const text = `It is not known which vals import ${someOf(imported.map(labelOf))}: ${reason}`;
    context.out.say({ kind: 'warning', text });
    return;
  }
  const deleted = new Set<string | undefined>(vals.map(({ id }) => id));
  for (const val of imported) {
    const ofVal = references.filter((reference) => textAt(reference, 'dependsOn.id') === val.id);
    const others = ofVal.filter((reference) => !deleted.has(textAt(reference, 'reference.id')));
    const { referenceCount } = val.read?.record ?? {};
    const count = typeof referenceCount === 'number' ? referenceCount : ofVal.length;
    const left = count - (ofVal.length - others.length);
    if (left <= 0) continue;
    const users = usersText(others.map(nameOf), left);
    context.out.say({ kind: 'warning', text: `${labelOf(val)} is imported by ${users}.` });
  }
}

/** The references to all vals of the caller, or the reason why they are not known. */
async function readReferences({
  api: connect,
}: Pick<Context, 'api'>): Promise<{ references: JsonObject[]; reason?: string }> {
  const references: JsonObject[] = [];
  try {
    for await (const { records } of (await connect()).pages(routes.myReferences()))
      references.push(...records);
  } catch (error) {
    if (!(error instanceof ValsError) || error instanceof InterruptedError) throw error;
    return { references: [], reason: error.message };
  }
  return references.every((reference) => textAt(reference, 'dependsOn.id') !== undefined)
    ? { references }
    : { references: [], reason: 'the service does not say it.' };
}

function nameOf(reference: JsonObject): string {
  const owner = textAt(reference, 'reference.username');
  const name = textAt(reference, 'reference.name') ?? textAt(reference, 'reference.id') ?? '';
  return owner === textAt(reference, 'dependsOn.username') ? name : `${owner}/${name}`;
}

/** Private vals of others have no name here, but they count. */
function usersText(names: readonly string[], count: number): string {
  if (names.length === 0) return count === 1 ? '1 other val' : `${count} other vals`;
  return someOf(names, { total: count });
}
