import { RefusedError } from '../../errors.ts';
import type { Hints } from '../../lib/hint.ts';
import { validName } from '../../lib/val-limits.ts';

export function withNameProposed(error: unknown, name: string, hint: (valid: string) => Hints): unknown {
  const valid = validName(name);
  if (!(error instanceof RefusedError) || valid === undefined || valid === name) return error;
  return new RefusedError(error.message, { ...error.facts, hint: hint(valid) });
}
