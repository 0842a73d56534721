// The outcome for each val or file of a command such as push.
import type { JsonObject } from './json.ts';

export type OutcomeStatus =
  /** Sent, and the val is new on the service. */
  | 'created'
  /** Sent, and the val existed before. */
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
  /** Taken out of the workspace. */
  | 'forgotten'
  /** Nothing was tried. */
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

/** `2 created, 1 failed`; empty if there are no outcomes. */
export function countOutcomes(outcomes: readonly JsonObject[]): string {
  const byStatus = new Map<string, number>();
  for (const { status } of outcomes) byStatus.set(`${status}`, (byStatus.get(`${status}`) ?? 0) + 1);
  return [...byStatus].map(([status, count]) => `${count} ${status}`).join(', ');
}

/** An outcome as `--json` prints it, without keys that have no value. */
export type Outcome = JsonObject & { status: OutcomeStatus };
