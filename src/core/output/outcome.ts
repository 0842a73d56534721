import { ValsError } from '../errors.ts';
import type { WriteHints } from '../lib/hint.ts';
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

/** Undefined for several outcomes, and for what a table says better. */
export function sentenceOfOne([only, another]: readonly OutcomeRow[]): string | undefined {
  if (only === undefined || another !== undefined) return undefined;
  const { status, name, version } = only;
  switch (status) {
    case 'created':
      return `Created ${name}.`;
    case 'pushed':
      return `${name} is now version ${version}.`;
    case 'sent':
      return `The service accepted ${name}.${version === undefined ? '' : ` It has version ${version}.`}`;
    case 'deleted':
      return `Deleted ${name}.`;
    default:
      return undefined;
  }
}

export type Outcome = JsonObject & { status: OutcomeStatus };

/** What happened to one thing. If it failed, `error` is the error itself, which the presenter describes. */
export type OutcomeRow = Readonly<Record<string, JsonValue | Error | undefined>>;

/** Describes an error for a program. */
export async function describeError(
  { kind, exit, message, facts }: ValsError,
  write: WriteHints,
): Promise<JsonObject> {
  const { status, method, path, body } = facts;
  const hint = facts.hint === undefined ? undefined : await write(facts.hint);
  return Object.fromEntries(
    Object.entries({ kind, exit, message, hint, status, method, path, body }).filter(
      ([, value]) => value !== undefined && value !== '',
    ),
  ) as JsonObject;
}

/** Describes the errors in the rows. */
export const describeRows = (
  rows: readonly Readonly<Record<string, unknown>>[],
  write: WriteHints,
): Promise<JsonObject[]> =>
  Promise.all(
    rows.map(async (row) => {
      const error = row.error instanceof ValsError ? await describeError(row.error, write) : row.error;
      return { ...row, ...(error !== undefined && { error }) } as JsonObject;
    }),
  );
