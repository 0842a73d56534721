import type { Api } from '../../api/api.ts';
import { textAt } from '../../api/records.ts';
import * as routes from '../../api/routes.ts';
import { parsed } from '../../cli/command.ts';
import type { Context } from '../../cli/context.ts';
import { ConflictError } from '../../errors.ts';
import { versionNumber } from './options.ts';

export const ifVersion = parsed(
  '--if-version <n>',
  'write only if this is still the version of the val',
  versionNumber,
  { isNumber: true },
);

/** Returns the ETag of the val, which makes a change between this check and the write a conflict too. */
export async function checkVersion(
  { givenVals }: Pick<Context, 'givenVals'>,
  api: Api,
  { val, expected }: { val: string; expected: string },
): Promise<string | undefined> {
  const { record, etag } = await api.recordWithEtag(routes.getVal(val));
  const current = textAt(record, 'version');
  if (current === expected) return etag;
  throw otherVersion(textAt(record, 'name') ?? givenVals.wordFor(val) ?? val, { val, current, expected });
}

export function otherVersion(
  name: string,
  { val, current, expected }: { val: string; current: string | undefined; expected: string },
): ConflictError {
  const message =
    current === undefined
      ? `The service does not say which version ${name} has. Nothing was sent.`
      : `${name} has version ${current} on the service, not version ${expected}. Nothing was sent.`;
  return new ConflictError(message, {
    hint: [
      { text: 'To see what changed', command: 'version diff', input: { val, a: expected } },
      { text: 'To see the code on the service', command: 'val get', input: { val, code: true } },
    ],
  });
}
