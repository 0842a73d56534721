import type { Api } from '../../api/api.ts';
import { codeOf, textAt } from '../../api/record-fields.ts';
import * as routes from '../../api/routes.ts';
import { BadResponseError } from '../../errors.ts';
import { type JsonObject, textOf } from '../../lib/json.ts';

export const versionCode = (version: JsonObject, val: string): string =>
  codeOf(version, [
    'The service did not send the code of the version.',
    { text: 'To print the current code', command: 'val get', input: { val, code: true } },
  ]);

export function newVersionSentence(val: JsonObject): string {
  const version = textAt(val, 'version');
  const name = textAt(val, 'name') ?? 'The val';
  return version === undefined ? `${name} has a new version.` : `${name} is now version ${version}.`;
}

/** -1 if the version is not a number. */
export function numberOf({ version }: JsonObject): bigint {
  const text = textOf(version) ?? '';
  // A text with millions of digits would take minutes.
  return /^\d{1,100}$/.test(text) ? BigInt(text) : -1n;
}

const notANumber = (version: string): BadResponseError =>
  new BadResponseError(`The service sent an invalid version number: "${version}".`, {
    hint: 'To copy only the current code, omit --versions.',
  });

/**
 * Ends with the current code of the val. That is not always the last listed version: some services can go back to an
 * older version, list no versions, or list versions without numbers.
 */
export async function* distinctVersions(
  api: Api,
  { id, current }: { id: string; current: string },
): AsyncGenerator<string, undefined> {
  const versions = new Set<string>();
  for await (const { records } of api.pages(routes.listVersions(id))) {
    for (const record of records) {
      const version = textAt(record, 'version');
      if (version === undefined) continue;
      // Characters other than digits could change the path of the next request.
      if (!/^\d{1,100}$/.test(version)) throw notANumber(version);
      versions.add(version);
    }
  }
  let last: string | undefined;
  for (const version of [...versions].sort((a, b) => Number(a) - Number(b))) {
    const code = versionCode(await api.record(routes.getVersion(id, version)), id);
    if (code !== last) yield code;
    last = code;
  }
  if (current === last) return undefined;
  // The val may have a new version since its code was read.
  const now = codeOf(await api.record(routes.getVal(id)));
  if (now !== last) yield now;
  return undefined;
}
