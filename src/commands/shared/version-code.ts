// The code of one version. Some services have it for the current version only.
import { codeOf } from '../../api/records.ts';
import type { JsonObject } from '../../lib/json.ts';
import { shell } from '../../lib/shell-command.ts';

export const versionCode = (version: JsonObject, val: string): string =>
  codeOf(
    version,
    `The service does not show the code of this version; ${shell`vals val get ${val} --code`} prints the current one.`,
  );
