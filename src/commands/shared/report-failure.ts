// What is said of one failure among several.
import type { Context } from '../../cli/context.ts';
import type { ValsError } from '../../errors.ts';

/** In JSON its outcome says it; alone, it is the error of the whole command. */
export function reportFailure(
  { warn, flags }: Context,
  label: string,
  error: ValsError,
  total: number,
): void {
  if (total === 1 || flags.json || flags.ndjson) return;
  warn(error.message.startsWith(label) ? error.message : `${label}: ${error.message}`);
}
