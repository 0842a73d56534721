// What became of one of the things that a command was asked to do.
import type { JsonObject } from './json.ts';

export type OutcomeStatus =
  /** Sent, and new on the service. */
  | 'created'
  /** Sent over what was there. */
  | 'pushed'
  /** The val got the name in vals.json, and nothing else changed. */
  | 'renamed'
  | 'pulled'
  | 'merged'
  | 'deleted'
  /** Both sides are alike. */
  | 'unchanged'
  /** The service has something newer, and the file did not change. */
  | 'behind'
  /** The file has something newer, and was left as it is. */
  | 'kept'
  /** Taken out of the workspace. */
  | 'forgotten'
  /** It was not begun. */
  | 'skipped'
  | 'failed'
  /** What `--dry-run` would have done. */
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

/** Whether anything became different from what it was. */
export const changedSomething = (outcomes: readonly JsonObject[]): boolean =>
  outcomes.some(({ status }) => changes.has(status));

/** `2 created, 1 failed`; empty where there are none. */
export function countOutcomes(outcomes: readonly JsonObject[]): string {
  const byStatus = new Map<string, number>();
  for (const { status } of outcomes) byStatus.set(`${status}`, (byStatus.get(`${status}`) ?? 0) + 1);
  return [...byStatus].map(([status, count]) => `${count} ${status}`).join(', ');
}

/** Its keys are what JSON shows; those without a value are left out. */
export type Outcome = JsonObject & { status: OutcomeStatus };
