// The outcome for each val or file of a command such as push.
import type { JsonObject } from './json.ts';

export type OutcomeStatus =
  /** The code was sent, and the service created a new val. */
  | 'created'
  /** The code was sent to a val that existed before. */
  | 'pushed'
  /** The val got the name in vals.json, and nothing else changed. */
  | 'renamed'
  | 'pulled'
  | 'merged'
  | 'deleted'
  /** The file and the service have the same code. */
  | 'unchanged'
  /** The service has newer code, and the file did not change. */
  | 'behind'
  /** The file has newer code, and was not overwritten. */
  | 'kept'
  /** The workspace does not track the val any more. */
  | 'forgotten'
  /** The command did nothing with this val or file. */
  | 'skipped'
  | 'failed'
  /** Without `--dry-run`, this would have been done. */
  | 'planned';

const changes: ReadonlySet<unknown> = new Set<OutcomeStatus>([
  'created',
  'pushed',
  'renamed',
  'pulled',
  'merged',
  'deleted',
  'forgotten',
]);

export const changedSomething = (outcomes: readonly JsonObject[]): boolean =>
  outcomes.some(({ status }) => changes.has(status));

/** Returns a text such as `2 created, 1 failed`; an empty text if there are no outcomes. */
export function countOutcomes(outcomes: readonly JsonObject[]): string {
  const byStatus = new Map<string, number>();
  for (const { status } of outcomes) byStatus.set(`${status}`, (byStatus.get(`${status}`) ?? 0) + 1);
  return [...byStatus].map(([status, count]) => `${count} ${status}`).join(', ');
}

/** An outcome as `--json` prints it, without keys that have no value. */
export type Outcome = JsonObject & { status: OutcomeStatus };
