import type { Tx } from '../database/database.ts';
import { raw, sql } from '../database/sql.ts';
import { HttpProblem } from '../problem.ts';
import type { Caller } from './caller.ts';

/** A repeated request with the same key gets the first reply, if it has the same content. */
export interface Once {
  key: string;
  requestDigest: string;
  /** The reply contains a secret, so it is not kept, and a repeated request is refused. */
  hasSecretReply?: boolean;
}

const dayMs = 24 * 60 * 60 * 1_000;
const mostForgottenAtOnce = 10;

/** The reply is stored in the transaction of the write, so a write that failed is not remembered. */
export async function doOnce<Result>(
  tx: Tx,
  { owner, actor }: Caller,
  { key, requestDigest, hasSecretReply = false }: Once,
  work: (tx: Tx) => Promise<Result>,
): Promise<Result> {
  const at = new Date().toISOString();
  const oldest = new Date(Date.parse(at) - dayMs).toISOString();
  const isRequest = sql`person_id = ${actor.id} AND owner_id = ${owner.id} AND key = ${key}`;
  // PostgreSQL waits here while another process does the same request.
  const [begun] = await tx.query(sql`
    INSERT INTO replies (person_id, owner_id, key, request_digest, at)
      VALUES (${actor.id}, ${owner.id}, ${key}, ${requestDigest}, ${at})
      ON CONFLICT (person_id, owner_id, key) DO UPDATE
      SET request_digest = excluded.request_digest, at = excluded.at, reply = NULL
      WHERE replies.at < ${oldest} RETURNING key`);
  if (begun) {
    const result = await work(tx);
    if (!hasSecretReply) {
      await tx.query(sql`UPDATE replies SET reply = ${JSON.stringify(result)} WHERE ${isRequest}`);
    }
    await forgetBefore(tx, oldest);
    return result;
  }
  if (hasSecretReply) {
    throw new HttpProblem(
      409,
      'A request with this Idempotency-Key was made already. Its reply is not kept.',
    );
  }
  const [earlier] = await tx.query<{ digest: string; reply: string }>(
    sql`SELECT request_digest AS digest, reply FROM replies WHERE ${isRequest}`,
  );
  if (earlier?.digest === requestDigest) return JSON.parse(earlier.reply);
  throw new HttpProblem(
    422,
    'The Idempotency-Key was used for another request already. Use a new key for a new request.',
  );
}

async function forgetBefore(tx: Tx, oldest: string): Promise<void> {
  await tx.query(sql`
    DELETE FROM replies WHERE (person_id, owner_id, key) IN (
      SELECT person_id, owner_id, key FROM replies WHERE at < ${oldest} ORDER BY at
        LIMIT ${raw(mostForgottenAtOnce)} ${tx.skipLocked})`);
}
