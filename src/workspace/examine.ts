// A val's three sides at one moment: the file, the service, and what they last agreed on.
import type { Api } from '../api/api.ts';
import { LocalError } from '../errors.ts';
import { stringifyJson } from '../lib/json.ts';
import { compare, type Status } from './compare.ts';
import type { Agreed } from './disk/agreed.ts';
import { readBelow } from './disk/files.ts';
import { type RemoteVal, readRemoteVal } from './remote-val.ts';
import { hashOf } from './text/hash.ts';
import { hasMarks } from './text/merge.ts';
import type { WorkspaceVal } from './vals.ts';
import type { Workspace } from './workspace.ts';

export interface Examined {
  val: WorkspaceVal;
  here: string | undefined;
  remote: RemoteVal | undefined;
  agreed: Agreed | undefined;
  status: Status;
  /** It differs, and the file has the marks of a merge. */
  isUnmerged: boolean;
}

/** `here` is what the file holds, and `noted` what was agreed on, where that was read already. */
export async function examine(
  workspace: Workspace,
  api: Api,
  findListed: FindListed,
  val: WorkspaceVal,
  here = readBelow(workspace.root, val.file),
  noted = workspace.agreed.read(val),
): Promise<Examined> {
  const { agreed: agreedStore } = workspace;
  // A val whose id the service did not tell cannot be asked for: what was sent is taken for what is there.
  const remote =
    val.id === undefined
      ? noted && sentAs(val.name, noted)
      : ((await asAgreed(val.id, findListed, here, noted)) ?? (await readRemoteVal(api, val.id)));
  const agreed = agreedWith(noted, remote);
  const isUnseen = val.id !== undefined && !agreed && !agreedStore.trustsFile(val.id);
  const status = statusOf(isUnseen ? 'nothing' : agreed, here, remote);
  if (status === 'unchanged' && remote !== undefined && val.id !== undefined) {
    agree(workspace, val, noted, remote);
  }
  const isUnmerged = isEdit.has(status) && here !== undefined && hasMarks(here);
  return { val, here, remote, agreed, status, isUnmerged };
}

const isEdit: ReadonlySet<Status> = new Set(['changed here', 'conflict', 'new']);

/** What the service's list tells of a val; undefined where it does not. */
export type FindListed = (id: string) => Promise<Omit<RemoteVal, 'code'> | undefined>;

/** The ids of vals that may have the name; undefined where there are none known, and the service cannot tell. */
export type FindNamesakes = (name: string) => Promise<string[] | undefined>;

/** The val of that name that is there already, where that is known; 'unknown' where that cannot be told. */
export async function readNamesake(
  api: Api,
  { name }: WorkspaceVal,
  findNamesakes: FindNamesakes,
): Promise<(RemoteVal & { id: string }) | 'unknown' | undefined> {
  const ids = await findNamesakes(name);
  if (ids === undefined) return 'unknown';
  for (const id of ids) {
    const remote = await readRemoteVal(api, id);
    if (remote !== undefined && (remote.name ?? name) === name) return { ...remote, id };
  }
  return undefined;
}

const sentAs = (name: string, { code, version }: Agreed): RemoteVal => ({ name, code, version });

/** The service's side where neither side changed, as the list tells: nothing will be written anywhere. */
async function asAgreed(
  id: string,
  findListed: FindListed,
  here: string | undefined,
  noted: Agreed | undefined,
): Promise<RemoteVal | undefined> {
  if (noted?.changedAt === undefined || noted.sent !== undefined || noted.code !== here) return undefined;
  const listed = await findListed(id);
  return listed && isSameVersion(listed, noted) ? { ...listed, code: noted.code } : undefined;
}

const isSameVersion = (
  a: Pick<RemoteVal, 'version' | 'changedAt'>,
  b: Pick<RemoteVal, 'version' | 'changedAt'>,
): boolean =>
  a.changedAt === b.changedAt && stringifyJson(a.version ?? null) === stringifyJson(b.version ?? null);

/** What we sent without an answer, and find there, was agreed on without our knowing. */
const agreedWith = (noted: Agreed | undefined, remote: RemoteVal | undefined): Agreed | undefined =>
  noted?.sent !== undefined && remote !== undefined && noted.sent === hashOf(remote.code)
    ? { code: remote.code, version: remote.version, changedAt: remote.changedAt }
    : noted;

/** Where nothing was agreed on, and the file is not trusted to be newer, whatever differs is a conflict. */
const statusOf = (
  agreed: { code: string } | 'nothing' | undefined,
  here: string | undefined,
  remote: { code: string } | undefined,
): Status =>
  compare<string | typeof unlikeAny>(agreed === 'nothing' ? unlikeAny : agreed?.code, here, remote?.code);

const unlikeAny = Symbol('unlike any code');

/** Both sides are alike, so that is what they agree on from now. A folder that cannot be written is no error here. */
function agree(
  { agreed: store }: Workspace,
  val: WorkspaceVal,
  agreed: Agreed | undefined,
  remote: RemoteVal,
): void {
  if (agreed?.code === remote.code && isSameVersion(agreed, remote)) return;
  try {
    store.write(val, remote);
  } catch (error) {
    if (!(error instanceof LocalError)) throw error;
  }
}
