import type { JsonObject, JsonValue } from '../lib/json.ts';

export type OutcomeStatus =
  | 'created'
  | 'pushed'
  /** The service accepted it. No answer showed whether anything changed. */
  | 'sent'
  | 'pulled'
  | 'merged'
  | 'deleted'
  | 'unchanged'
  /** The val changed on the service. The file did not change. */
  | 'behind'
  /** The file changed, and was not overwritten. */
  | 'kept'
  | 'skipped'
  | 'failed'
  | 'planned';

const changes: ReadonlySet<unknown> = new Set<OutcomeStatus>([
  'created',
  'pushed',
  'sent',
  'pulled',
  'merged',
  'deleted',
]);

export const changedSomething = (outcomes: readonly OutcomeRow[]): boolean =>
  outcomes.some(({ status }) => changes.has(status));

export function countOutcomes(outcomes: readonly OutcomeRow[]): string {
  const byStatus = new Map<string, number>();
  for (const { status } of outcomes) byStatus.set(`${status}`, (byStatus.get(`${status}`) ?? 0) + 1);
  return [...byStatus].map(([status, count]) => `${count} ${status}`).join(', ');
}

export type Outcome = JsonObject & { status: OutcomeStatus };

/** What happened to one thing. If it failed, `error` is the error itself, which the presenter describes. */
export type OutcomeRow = Readonly<Record<string, JsonValue | Error | undefined>>;
