import type { Context } from '../../command-line/command.ts';
import { labelOf } from '../../command-line/resolve-vals.ts';
import { InterruptedError, ValsError } from '../../errors.ts';
import type { GivenVal } from '../../find-val/find-val.ts';
import { someOf } from '../../lib/hint.ts';
import { type JsonObject, textAt } from '../../lib/json.ts';
import * as routes from '../../routes.ts';

/** Says which vals import those that are to be deleted, except for vals that are deleted together with them. */
export async function warnOfDependents(
  { api: connect, out }: Pick<Context, 'api' | 'out'>,
  vals: readonly GivenVal[],
): Promise<void> {
  const warn = (text: string) => out.say({ kind: 'warning', text });
  const unknown = (why: string) =>
    warn(`It is not known which vals import ${someOf(vals.map(labelOf))}: ${why}`);
  const references: JsonObject[] = [];
  try {
    const pages = (await connect()).pages(routes.myReferences());
    for await (const { records } of pages) references.push(...records);
  } catch (error) {
    if (!(error instanceof ValsError) || error instanceof InterruptedError) throw error;
    return unknown(error.message);
  }
  if (references.some((each) => textAt(each, 'dependsOn.id') === undefined))
    return unknown('the service does not say it.');
  const deleted = new Set<string | undefined>(vals.map(({ id }) => id));
  for (const val of vals) {
    const users = references
      .filter((each) => textAt(each, 'dependsOn.id') === val.id && !deleted.has(textAt(each, 'reference.id')))
      .map((each) => textAt(each, 'reference.name') ?? 'another val');
    if (users.length > 0) warn(`${labelOf(val)} is imported by ${someOf(users)}.`);
  }
}
