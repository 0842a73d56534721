import pg from 'pg';
import { expect, onTestFinished } from 'vitest';
import { onServer } from './postgres.ts';

/** Runs a statement in a transaction of another program. The returned function ends the transaction. */
export async function lock(at: string, statement: string) {
  const other = new pg.Client(at);
  await other.connect();
  onTestFinished(() => other.end());
  await other.query(`BEGIN; ${statement}`);
  return (lastStatement = '') => other.query(`${lastStatement}; COMMIT`);
}

const waiting =
  "SELECT pid FROM pg_stat_activity WHERE wait_event_type = 'Lock' AND datname = current_database()";

export const untilWaiting = (at: string, count: number) =>
  expect.poll(async () => (await onServer(at, waiting)).length).toBeGreaterThanOrEqual(count);
