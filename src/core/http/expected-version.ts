import { ConflictError } from '../errors.ts';
import { sh } from '../lib/hint.ts';
import { textAt } from '../lib/json.ts';
import * as routes from '../routes.ts';
import type { Api } from './api.ts';
import { presentVersion } from './versions.ts';

/** Returns the ETag of the val, which makes a change between this check and the write a conflict too. */
export async function etagAtVersion(
  api: Api,
  val: { id: string; word: string },
  expected: number,
): Promise<string | undefined> {
  const { record, etag } = await api.recordWithEtag(routes.getVal(val));
  const current = await presentVersion(api, val, record);
  if (current === expected) return etag;
  const name = textAt(record, 'name') ?? val.word;
  const message =
    current === undefined
      ? `It is not known which version ${name} has on the service. Nothing was sent.`
      : `${name} has version ${current} on the service, not version ${expected}. Nothing was sent.`;
  const isOlder = current !== undefined && expected < current;
  throw new ConflictError(message, {
    hint: [
      ...(isOlder ? [sh`To see what changed, run ${['version', 'diff', val.word, expected]}.`] : []),
      sh`To see the code on the service, run ${['val', 'get', val.word, '--code']}.`,
    ],
  });
}
