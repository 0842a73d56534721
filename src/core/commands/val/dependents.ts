import type { Context } from '../../command-line/command.ts';
import { labelOf } from '../../command-line/resolve-vals.ts';
import type { GivenVal } from '../../find-val/find-val.ts';
import { textAt } from '../../http/record-fields.ts';
import { listed } from '../../lib/hint.ts';
import type { JsonObject } from '../../lib/json.ts';
import * as routes from '../../routes.ts';

const mostNames = 5;

/** Says which vals import those that are to be deleted, except for vals that are deleted together with them. */
export async function warnOfDependents(
  context: Pick<Context, 'api' | 'out'>,
  vals: readonly GivenVal[],
): Promise<void> {
  const deleted = new Set<string | undefined>(vals.map(({ id }) => id));
  for (const val of vals) {
    const count = Number(val.read?.record.referenceCount ?? 0);
    if (!(count > 0)) continue;
    const references = await referencesTo(context, val.id);
    const others = references.filter((reference) => !deleted.has(textAt(reference, 'reference.id')));
    const left = count - (references.length - others.length);
    if (left === 0) continue;
    const users = usersText(others.map(nameOf), left);
    context.out.say({ kind: 'warning', text: `${labelOf(val)} is imported by ${users}.` });
  }
}

/** The first page is enough for a warning. A service that cannot say it does not keep a val from being deleted. */
async function referencesTo({ api: connect }: Pick<Context, 'api'>, id: string): Promise<JsonObject[]> {
  try {
    for await (const { records } of (await connect()).pages(routes.myReferences(id))) {
      return records.filter((reference) => textAt(reference, 'dependsOn.id') === id);
    }
  } catch {}
  return [];
}

function nameOf(reference: JsonObject): string {
  const owner = textAt(reference, 'reference.username');
  const name = textAt(reference, 'reference.name') ?? textAt(reference, 'reference.id') ?? '';
  return owner === textAt(reference, 'dependsOn.username') ? name : `${owner}/${name}`;
}

/** Private vals of others have no name here, but they count. Nor has any, where references cannot be read. */
function usersText(names: readonly string[], count: number): string {
  const shown = names.slice(0, mostNames);
  if (shown.length === 0) return count === 1 ? '1 other val' : `${count} other vals`;
  const more = count - shown.length;
  return listed(more > 0 ? [...shown, `${more} more`] : shown);
}
