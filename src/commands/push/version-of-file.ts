import type { Api } from '../../api/api.ts';
import { versionOf } from '../../api/record-fields.ts';
import * as routes from '../../api/routes.ts';
import { ValsError } from '../../errors.ts';
import { hashOf } from '../../workspace/text/code-facts.ts';
import type { PlannedItem } from './plan-items.ts';

const mostVersions = 20;
/** For more vals, the user would wait too long for the question. */
const mostVals = 20;

/**
 * Without a record, the file may still have the code of an older version, as in a fresh checkout of an old branch. Only
 * the newest versions are read, and only for a question, because each version is a request.
 */
export async function versionOfFile(
  api: Api,
  { step }: PlannedItem,
  askedCount: number,
): Promise<number | undefined> {
  if (step?.why !== 'differs' || askedCount > mostVals) return undefined;
  const { here, val } = step.found;
  if (here === undefined || val.id === undefined) return undefined;
  try {
    for (const version of await newestVersions(api, val.id)) {
      const { code } = await api.record(routes.getVersion(val.id, version));
      if (typeof code === 'string' && hashOf(code) === here.hash) return version;
    }
  } catch (error) {
    // The question does not depend on this.
    if (!(error instanceof ValsError)) throw error;
  }
  return undefined;
}

async function newestVersions(api: Api, id: string): Promise<number[]> {
  const versions = new Set<number>();
  for await (const { records } of api.pages(routes.listVersions(id))) {
    for (const record of records) versions.add(versionOf(record) ?? -1);
  }
  versions.delete(-1);
  // The newest version is the code on the service, which differs.
  return [...versions].sort((a, b) => b - a).slice(1, mostVersions);
}
