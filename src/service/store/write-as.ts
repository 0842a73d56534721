import { type All, type Database, DatabaseFailure } from '../database/database.ts';
import { Refusal } from './refusal.ts';
import type { Principal } from './spaces.ts';

/** A repeated request with the same key gets the first reply, if it has the same content. */
export interface Once {
  key: string;
  requestDigest: string;
}

interface WriteAsOptions {
  /** The id or the name of the val. Writes to the same val wait for each other. */
  val?: string;
  once?: Once | undefined;
}

const dayMs = 24 * 60 * 60 * 1_000;
const mostForgottenAtOnce = 10;

export function writeAs<Result>(
  database: Database,
  caller: Principal,
  { val, once }: WriteAsOptions,
  work: (all: All) => Promise<Result>,
): Promise<Result> {
  const { id, actor } = caller;
  const workAndCheck = async (all: All) => {
    const result = once ? await doOnce(database, all, caller, once, work) : await work(all);
    // The write may have waited for other writes, and the membership may have ended meanwhile.
    if (actor.id !== id) await checkMembership(all, caller);
    return result;
  };
  // The row contains the id of the caller, because anybody can try to write to a val of another owner.
  return database.write(workAndCheck, {
    person: actor.id,
    row: val === undefined ? undefined : `${id} ${val}`,
  });
}

async function checkMembership(all: All, { id, actor }: Principal): Promise<void> {
  const [member] = await all(
    "SELECT role FROM members WHERE user_id = ? AND space_id = ? AND role = 'write'",
    [actor.id, id],
  );
  if (!member) throw new DatabaseFailure('orphaned', new Error('the membership has ended'));
}

/** The reply is stored in the transaction of the write, so a write that failed is not remembered. */
async function doOnce<Result>(
  { skipLocked }: Database,
  all: All,
  { id, actor }: Principal,
  { key, requestDigest }: Once,
  work: (all: All) => Promise<Result>,
): Promise<Result> {
  const now = new Date().toISOString();
  const oldest = new Date(Date.parse(now) - dayMs).toISOString();
  const request = [actor.id, id, key];
  // PostgreSQL waits here while another process does the same request.
  const [begun] = await all(
    `INSERT INTO replies (person_id, owner_id, key, request_digest, at) VALUES (?, ?, ?, ?, ?)
      ON CONFLICT (person_id, owner_id, key) DO UPDATE SET request_digest = excluded.request_digest, at = excluded.at
        WHERE replies.at < ? RETURNING key`,
    [...request, requestDigest, now, oldest],
  );
  const isRequest = 'person_id = ? AND owner_id = ? AND key = ?';
  if (begun) {
    const result = await work(all);
    await all(`UPDATE replies SET reply = ? WHERE ${isRequest}`, [JSON.stringify(result), ...request]);
    await all(
      `DELETE FROM replies WHERE (person_id, owner_id, key) IN (
        SELECT person_id, owner_id, key FROM replies WHERE at < ? ORDER BY at LIMIT ${mostForgottenAtOnce}${skipLocked})`,
      [oldest],
    );
    return result;
  }
  const [earlier] = await all<{ digest: string; reply: string }>(
    `SELECT request_digest AS digest, reply FROM replies WHERE ${isRequest}`,
    request,
  );
  if (earlier?.digest === requestDigest) return JSON.parse(earlier.reply);
  throw new Refusal(
    'key reused',
    'The Idempotency-Key was used for another request already. Use a new key for a new request.',
  );
}
