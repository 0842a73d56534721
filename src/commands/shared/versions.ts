// The versions of a val in the answers of a service.
import { codeOf, textAt } from '../../api/records.ts';
import type { JsonObject } from '../../lib/json.ts';
import { shell } from '../../lib/shell-command.ts';

/** Some services have the code of the current version only. */
export const versionCode = (version: JsonObject, val: string): string =>
  codeOf(
    version,
    `The service does not send the code of this version. ${shell`vals val get ${val} --code`} prints the current code.`,
  );

/** The answer may lack the name or the version. */
export function newVersion(val: JsonObject): string {
  const version = textAt(val, 'version');
  const name = textAt(val, 'name') ?? 'The val';
  return version === undefined ? `${name} has a new version.` : `${name} is now version ${version}.`;
}
