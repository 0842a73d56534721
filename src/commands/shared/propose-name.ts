// Proposes a valid name for a val whose name the service refused.
import { RefusedError } from '../../errors.ts';
import { validName } from '../../lib/val-limits.ts';

/** Returns the error with a hint that proposes a valid name, if the name is invalid. */
export function withNameProposed(error: unknown, name: string, hint: (valid: string) => string): unknown {
  const valid = validName(name);
  if (!(error instanceof RefusedError) || valid === undefined || valid === name) return error;
  return new RefusedError(error.message, { ...error.facts, hint: hint(valid) });
}
