// The outcome of one of the things that a command was asked to do.
import type { JsonObject } from './json.ts';

export type OutcomeStatus =
  /** Sent, and new on the service. */
  | 'created'
  /** Sent, and the val existed before. */
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
  /** Not tried. */
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

export const changedSomething = (outcomes: readonly JsonObject[]): boolean =>
  outcomes.some(({ status }) => changes.has(status));

/** `2 created, 1 failed`; empty if there are no outcomes. */
export function countOutcomes(outcomes: readonly JsonObject[]): string {
  const byStatus = new Map<string, number>();
  for (const { status } of outcomes) byStatus.set(`${status}`, (byStatus.get(`${status}`) ?? 0) + 1);
  return [...byStatus].map(([status, count]) => `${count} ${status}`).join(', ');
}

/** As JSON shows it. Keys without a value are left out. */
export type Outcome = JsonObject & { status: OutcomeStatus };
