// Proposes a valid name for a val whose name the service refused.
import { RefusedError } from '../../errors.ts';
import { validName } from '../../lib/val-limits.ts';

/** The error with another hint, if the name is one that services of this kind refuse. */
export function withNameProposed(error: unknown, name: string, hint: (valid: string) => string): unknown {
  const valid = validName(name);
  if (!(error instanceof RefusedError) || valid === undefined || valid === name) return error;
  return new RefusedError(error.message, { ...error.facts, hint: hint(valid) });
}
