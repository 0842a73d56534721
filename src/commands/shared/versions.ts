// Reads the versions of a val in answers of the service.
import { codeOf, textAt } from '../../api/records.ts';
import type { JsonObject } from '../../lib/json.ts';
import { shell } from '../../lib/shell-command.ts';

/** The code of a version. Some services send only the code of the current version. */
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
