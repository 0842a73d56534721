import { type Database, DatabaseFailure, type Tx } from '../database/database.ts';
import { sql } from '../database/sql.ts';
import { HttpProblem, unauthorized } from '../problem.ts';
import { type Access, isInSpace } from './access.ts';

/** Decides by the state of the val whether the write may begin. */
export type Precondition = { allows(state: string | undefined): boolean; refusal: string };

/** What a request says of the write that it wants. */
export interface WriteOptions {
  onlyIf?: Precondition | undefined;
  /** The address of the service, by which code imports its vals. */
  origin?: string | undefined;
}

interface WriteAsOptions {
  /** The id or the name of the val. Writes to the same val wait for each other. */
  val?: string;
}

/** Each write of a caller checks the membership in the transaction. */
export async function writeAs<Result>(
  database: Database,
  access: Access,
  { val }: WriteAsOptions,
  work: (tx: Tx) => Promise<Result>,
): Promise<Result> {
  // The row contains the id of the owner, because anybody can try to write to a val of another owner.
  const keys = { row: val === undefined ? undefined : `${access.owner.id} ${val}` };
  try {
    return await database.transaction(keys, async (tx) => {
      const result = await work(tx);
      // The write may have waited for other writes, and the membership may have ended meanwhile.
      if (isInSpace(access)) await checkMembership(tx, access);
      return result;
    });
  } catch (error) {
    const isGone = error instanceof DatabaseFailure && error.kind === 'orphaned';
    throw isGone ? accessEnded(access) : error;
  }
}

async function checkMembership(tx: Tx, access: Access): Promise<void> {
  const [member] = await tx.query(sql`
    SELECT role FROM members WHERE user_id = ${access.actor.id} AND space_id = ${access.owner.id}
      AND role IN (${access.role}, 'write')`);
  if (!member) throw accessEnded(access);
}

const accessEnded = (access: Access): HttpProblem =>
  isInSpace(access)
    ? new HttpProblem(404, `You are no longer a member of the space ${access.owner.username}.`)
    : unauthorized('The person who owns the token was removed.');
