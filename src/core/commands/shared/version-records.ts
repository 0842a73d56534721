import { codeOf } from '../../http/record-fields.ts';
import type { JsonObject } from '../../lib/json.ts';

export const versionCode = (version: JsonObject, val: string): string =>
  codeOf(version, [
    'The service did not send the code of the version.',
    { text: 'To print the current code', command: 'val get', input: { val, code: true } },
  ]);
