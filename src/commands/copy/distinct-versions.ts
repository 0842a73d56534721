// Reads the code of each version of a val, from the first to the last.
import type { Api } from '../../api/api.ts';
import { textAt } from '../../api/records.ts';
import * as routes from '../../api/routes.ts';
import { versionCode } from '../shared/versions.ts';

/** Skips a version with the same code as the version before it, because some services make no new version then. */
export async function* distinctVersions(api: Api, id: string): AsyncGenerator<string, undefined> {
  const versions = new Set<string>();
  for await (const { records } of api.pages(routes.listVersions(id))) {
    for (const record of records) {
      const version = textAt(record, 'version');
      if (version !== undefined) versions.add(version);
    }
  }
  let last: string | undefined;
  for (const version of [...versions].sort((a, b) => Number(a) - Number(b))) {
    const code = versionCode(await api.record(routes.getVersion(id, version)), id);
    if (code !== last) yield code;
    last = code;
  }
  return undefined;
}
