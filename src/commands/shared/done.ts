// What commands that do one thing say of it at their end.
import { textAt } from '../../api/records.ts';
import type { JsonObject } from '../../lib/json.ts';

/** Of a val as it was answered, which may hold little. */
export function newVersion(val: JsonObject): string {
  const version = textAt(val, 'version');
  const name = textAt(val, 'name') ?? 'The val';
  return version === undefined ? `${name} has a new version.` : `${name} is now version ${version}.`;
}
