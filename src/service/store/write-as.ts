import { type Database, DatabaseFailure, type Reader, type Tx } from '../database/database.ts';
import { emptySql, type Sql, sql } from '../database/sql.ts';
import { HttpProblem, unauthorized } from '../problem.ts';
import { type Access, isGoodToken, isInSpace } from './access.ts';
import { now } from './timestamps.ts';

/** What a request says of the write that it wants. */
export interface WriteOptions {
  /** The write begins only if the val has one of these ETags. */
  ifMatch?: readonly string[] | undefined;
  /** The address of the service, by which code imports its vals. */
  origin?: string | undefined;
}

/**
 * Each write to vals. `work` must hold the access with `guardOf` or `checkAccess`, after it has waited for rows. Writes to the
 * same `val`, an id or a name, wait for each other.
 */
export async function writeAs<Result>(
  database: Database,
  access: Access,
  { val }: { val?: string },
  work: (tx: Tx) => Promise<Result>,
): Promise<Result> {
  const { token } = access;
  if (token.access === 'read') {
    const detail = `The token ${token.name} may read, but not change anything. Use a token with full access.`;
    throw new HttpProblem(403, detail, { concerns: 'caller' });
  }
  if (!access.mayWrite) throw readsOnly(access);
  // The row contains the id of the owner, because anybody can try to write to a val of another owner.
  const row = val === undefined ? undefined : `${access.owner.id} ${val}`;
  return writeOwn(database, access, work, row);
}

/** A write to what is the person's own, wherever they ask. `work` must hold the token with `requireToken`. */
export async function writeOwn<Result>(
  database: Database,
  access: Access,
  work: (tx: Tx) => Promise<Result>,
  row?: string,
): Promise<Result> {
  const { expiresAt } = access.token;
  try {
    return await database.transaction(async (tx) => {
      const result = await work(tx);
      // The guard in a statement has the time from before the statement waited.
      if (expiresAt !== null && expiresAt <= now()) throw tokenEnded();
      return result;
    }, row);
  } catch (error) {
    const isGone = error instanceof DatabaseFailure && error.kind === 'orphaned';
    throw isGone ? await accessEnded(database, access) : error;
  }
}

const readsOnly = ({ owner: { username } }: Access): HttpProblem =>
  new HttpProblem(
    403,
    `You may read the vals of ${username}, but not change them. To get write access, ask the person who runs the service.`,
    { concerns: 'caller' },
  );

/** For what a token that deploys may not do. */
export function requireFull({ token }: Access): void {
  if (token.access !== 'deploy') return;
  throw new HttpProblem(
    403,
    `The token ${token.name} may only read, create private vals and add versions. For anything else, use a token with full access.`,
  );
}

/**
 * A part of a statement of a write, which finds nothing if the token or the right to write has ended while the write
 * waited. Who ends them afterwards waits for the commit. The members come first, because who removes a member ends their
 * tokens next.
 */
export function guardOf(tx: Tx, access: Access): { join: Sql; lock: Sql } {
  const { actor, owner, token } = access;
  const isMember = isInSpace(access)
    ? sql`JOIN members AS member ON member.user_id = ${actor.id} AND member.space_id = ${owner.id}
        AND member.role = 'write'`
    : emptySql;
  return {
    join: sql`JOIN tokens AS used ON used.id = ${token.id} AND ${isGoodToken()}
      ${isMember}`,
    lock: tx.locking(`${isInSpace(access) ? 'FOR SHARE OF member ' : ''}FOR KEY SHARE OF used`),
  };
}

/** For a write that reads no val. */
export async function checkAccess(tx: Tx, access: Access): Promise<void> {
  const { join, lock } = guardOf(tx, access);
  const [held] = await tx.query(
    sql`SELECT users.id FROM users ${join} WHERE users.id = ${access.actor.id} ${lock}`,
  );
  if (!held) throw await accessEnded(tx, access);
}

/** For `writeOwn`. */
export const requireToken = (tx: Tx, access: Access): Promise<void> =>
  checkAccess(tx, { ...access, owner: access.actor });

const tokenEnded = () => unauthorized('The token has ended, so nothing was stored.');

/** Why the guard found nothing. */
export async function accessEnded(db: Reader, access: Access): Promise<HttpProblem> {
  const { actor, owner, token } = access;
  const [used] = await db.query(sql`SELECT id FROM tokens WHERE id = ${token.id} AND ${isGoodToken()}`);
  if (!used) return tokenEnded();
  const [member] = await db.query(
    sql`SELECT role FROM members WHERE user_id = ${actor.id} AND space_id = ${owner.id}`,
  );
  if (member) return readsOnly(access);
  return new HttpProblem(404, `You are no longer a member of the space ${owner.username}.`);
}
