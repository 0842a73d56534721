// Outside of a workspace, a push replaces the code of the val with that name, without a comparison.
import type { Api } from '../../api/api.ts';
import { checkVersion, noSuchVal } from '../../api/expected-version.ts';
import { textAt, versionOf } from '../../api/record-fields.ts';
import * as routes from '../../api/routes.ts';
import { type JsonValue, withoutUndefined } from '../../lib/json.ts';
import type { Outcome } from '../../lib/outcome.ts';
import type { SeenVal } from '../../names/seen-file.ts';
import { idAndVersion, isSameVersion, type RemoteVal, type RemoteVals } from '../../workspace/remote-vals.ts';

interface UpsertOptions {
  dryRun: boolean;
  ifVersion: number | undefined;
  remotes: RemoteVals;
  /** The vals that this machine knew before the push. */
  seenBefore: readonly SeenVal[];
}

export async function upsert(
  api: Api,
  name: string,
  code: string,
  { dryRun, ifVersion, remotes, seenBefore }: UpsertOptions,
): Promise<Outcome> {
  const before =
    ifVersion === undefined ? undefined : await readNamed(remotes, name, { ifVersion, seenBefore });
  const versionBefore = withoutUndefined({ versionBefore: before?.version });
  const call = { ...routes.putVal(name, code), ifMatch: before?.etag };
  api.refuseToken(call);
  if (dryRun) return { status: 'planned', ...versionBefore };
  const { status, body = null } = await api.send(call);
  const id = textAt(body, 'id');
  const stored = idAndVersion(id, versionOf(body));
  if (status === 201) return { status: 'created', ...stored };
  return isKnownVersion(body, before, seenBefore)
    ? { status: 'unchanged', ...stored }
    : { status: 'pushed', ...stored, ...versionBefore };
}

/** The service makes no new version if the code is the same. */
function isKnownVersion(
  val: JsonValue,
  before: RemoteVal | undefined,
  seenBefore: readonly SeenVal[],
): boolean {
  const [id, version] = [textAt(val, 'id'), versionOf(val)];
  if (version === undefined) return false;
  if (before !== undefined) return isSameVersion(before.version, version);
  return seenBefore.some((seen) => seen.id === id && seen.version === version);
}

/** A service without a list of vals can have only a val that this machine has seen. */
async function readNamed(
  remotes: RemoteVals,
  name: string,
  { ifVersion, seenBefore }: { ifVersion: number; seenBefore: readonly SeenVal[] },
): Promise<RemoteVal> {
  const named = await remotes.named(name);
  const id = seenBefore.find((val) => val.name === name)?.id;
  const seen = named === 'unknown' && id !== undefined ? (await remotes.read(id)).remote : undefined;
  const remote = named === 'unknown' ? seen : named;
  if (remote === undefined) throw noSuchVal(name, ifVersion);
  checkVersion(ifVersion, { val: remote.id ?? name, name, version: remote.version });
  return remote;
}
