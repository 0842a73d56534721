import type { JsonObject } from './json.ts';

export type OutcomeStatus =
  | 'created'
  | 'pushed'
  /** The val on the service was renamed to its name in vals.json. Its code did not change. */
  | 'renamed'
  /** The val has another file now. Nothing was sent. */
  | 'moved'
  | 'pulled'
  | 'merged'
  | 'deleted'
  | 'unchanged'
  /** The val changed on the service. The file did not change. */
  | 'behind'
  /** The file changed, and was not overwritten. */
  | 'kept'
  | 'forgotten'
  | 'skipped'
  | 'failed'
  | 'planned';

const changes: ReadonlySet<unknown> = new Set<OutcomeStatus>([
  'created',
  'pushed',
  'renamed',
  'moved',
  'pulled',
  'merged',
  'deleted',
  'forgotten',
]);

export const changedSomething = (outcomes: readonly JsonObject[]): boolean =>
  outcomes.some(({ status }) => changes.has(status));

export function countOutcomes(outcomes: readonly JsonObject[]): string {
  const byStatus = new Map<string, number>();
  for (const { status } of outcomes) byStatus.set(`${status}`, (byStatus.get(`${status}`) ?? 0) + 1);
  return [...byStatus].map(([status, count]) => `${count} ${status}`).join(', ');
}

export type Outcome = JsonObject & { status: OutcomeStatus };
