import { namePattern } from '../../core/lib/val-limits.ts';
import type { Reader } from '../database/database.ts';
import { sql } from '../database/sql.ts';
import { HttpProblem } from '../problem.ts';
import { type Access, idPattern, mayFind, mayRead } from './access.ts';
import { isCurrent, noVal, selectVal, type Val } from './val-rows.ts';

/** Differs for each state of each val. */
export const etagOf = ({ id, revision }: Pick<Val, 'id' | 'revision'>): string => `"${id}.${revision}"`;

export async function visibleVal(db: Reader, access: Access | undefined, id: string): Promise<Val> {
  const isReadable = sql`vals.id = ${id} AND ${mayRead(access)} AND ${isCurrent}`;
  const val = idPattern.test(id) ? await selectVal(db, isReadable) : undefined;
  if (!val) throw noVal(id);
  return val;
}

/** Of a person or a space. The refusal does not tell whether there is such an owner, because a space is hidden from others. */
export async function valNamed(db: Reader, access: Access, owner: string, name: string): Promise<Val> {
  const isNamed = sql`username = ${owner} AND vals.name = ${name} AND ${mayFind(access)}`;
  const isName = idPattern.test(owner) && namePattern.test(name);
  const val = isName ? await selectVal(db, sql`${isNamed} AND ${isCurrent}`) : undefined;
  if (val) return val;
  throw new HttpProblem(404, `There is no val named ${owner}/${name}.`);
}
