import { namePattern } from '../../core/lib/val-limits.ts';
import type { Reader } from '../database/database.ts';
import { type Sql, sql } from '../database/sql.ts';
import { HttpProblem } from '../problem.ts';
import { type Access, idPattern } from './access.ts';
import { isCurrent, isListedFor, isSharedWith, isVisibleTo, noVal, selectVal, type Val } from './val-rows.ts';

/** Differs for each state of each val. */
export const stateTag = ({ id, revision }: Pick<Val, 'id' | 'revision'>): string => `${id}.${revision}`;

export const visibleVal = (db: Reader, access: Access | undefined, id: string): Promise<Val> =>
  valWithId(db, id, isVisibleTo(access));

/** The address of a module is that of no space, so a member of a space reads its private vals there. */
export const importableVal = (db: Reader, access: Access | undefined, id: string): Promise<Val> =>
  valWithId(db, id, sql`(${isVisibleTo(access)} OR ${isSharedWith(access)})`);

async function valWithId(db: Reader, id: string, isReadable: Sql): Promise<Val> {
  const val = idPattern.test(id)
    ? await selectVal(db, sql`vals.id = ${id} AND ${isReadable} AND ${isCurrent}`)
    : undefined;
  if (!val) throw noVal(id);
  return val;
}

/** Of a person or a space. The refusal does not tell whether there is such an owner, because a space is hidden from others. */
export async function valNamed(db: Reader, access: Access, owner: string, name: string): Promise<Val> {
  const isNamed = sql`username = ${owner} AND name = ${name} AND ${isListedFor(access)}`;
  const isName = idPattern.test(owner) && namePattern.test(name);
  const val = isName ? await selectVal(db, sql`${isNamed} AND ${isCurrent}`) : undefined;
  if (val) return val;
  throw new HttpProblem(404, `There is no val named ${owner}/${name}.`);
}
