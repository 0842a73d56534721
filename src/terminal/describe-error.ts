// An error as it is written in JSON; keys without a value are left out.
import type { ValsError } from '../errors.ts';
import type { JsonObject } from '../lib/json.ts';

export function describeError({ kind, exit, message, facts }: ValsError): JsonObject {
  const { hint, status, method, path, body } = facts;
  return Object.fromEntries(
    Object.entries({ kind, exit, message, hint, status, method, path, body }).filter(
      ([, value]) => value !== undefined && value !== '',
    ),
  ) as JsonObject;
}
