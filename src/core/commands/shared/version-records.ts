import { codeOf } from '../../http/record-fields.ts';
import { sh } from '../../lib/hint.ts';
import type { JsonObject } from '../../lib/json.ts';

export const versionCode = (version: JsonObject, val: string): string =>
  codeOf(version, [
    'The service did not send the code of the version.',
    sh`To print the current code, run ${['val', 'get', val, '--code']}.`,
  ]);
