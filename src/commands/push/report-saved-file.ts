import type { Context } from '../../cli/context.ts';
import type { Outcome } from '../../lib/outcome.ts';
import { type Column, column } from '../../terminal/column.ts';
import { outcomeColumn, versionColumn } from '../shared/columns.ts';
import type { PushResult } from './push-saved-file.ts';

export function createReporter(context: Context): (result: PushResult, isRetry: boolean) => Promise<void> {
  const { flags, say } = context;
  const columns = [timeColumn(context), outcomeColumn, column('name'), versionColumn];
  return async ({ outcome, warning }, isRetry) => {
    if (warning !== undefined && !flags.ndjson) say.warn(warning);
    if (outcome !== undefined && isNews(outcome, isRetry)) await context.event(outcome, columns);
  };
}

const timeColumn = ({ clock, forPerson }: Context): Column => ({
  ...column('time'),
  compute() {
    const now = new Date(clock.now());
    return forPerson ? now.toTimeString().slice(0, 8) : now.toISOString();
  },
});

function isNews({ status }: Outcome, isRetry: boolean): boolean {
  // An attempt before the retry may have sent the code. Then `unchanged` tells the user that the code has arrived.
  if (status === 'unchanged') return isRetry;
  return status !== 'behind' && status !== 'skipped';
}
