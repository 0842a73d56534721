import { extname } from 'node:path';
import type { Api } from '../../api/api.ts';
import { checkVersion, noSuchVal } from '../../api/expected-version.ts';
import { textAt, versionOf } from '../../api/records.ts';
import * as routes from '../../api/routes.ts';
import type { AddRemark } from '../../cli/batch.ts';
import type { Context } from '../../cli/context.ts';
import { type JsonValue, withoutUndefined } from '../../lib/json.ts';
import type { Outcome } from '../../lib/outcome.ts';
import type { SeenVal } from '../../names/seen-file.ts';
import { pruneVal } from '../../workspace/prune-val.ts';
import { type PushOptions, pushVal } from '../../workspace/push-val.ts';
import { idAndVersion, isSameVersion, type RemoteVal, type RemoteVals } from '../../workspace/remote-vals.ts';
import { firstRelativeImport } from '../../workspace/sources/warnings.ts';
import type { WorkspaceVal } from '../../workspace/vals.ts';
import { pathTo, type Workspace } from '../../workspace/workspace.ts';
import { withNameProposed } from '../shared/notes.ts';
import type { PushItem } from './item.ts';
import { isSent } from './sent-rows.ts';

interface SenderOptions
  extends Pick<
    PushOptions,
    'force' | 'isNamed' | 'mayOverwrite' | 'ifVersion' | 'fork' | 'dryRun' | 'remotes'
  > {
  api: Api;
  workspace: Workspace | undefined;
  /** The vals that this machine knew before the push, for files outside of a workspace. */
  seenBefore: readonly SeenVal[];
}

export interface ItemSender {
  send(item: PushItem, remark: AddRemark): Promise<Outcome>;
  /** New files whose push may replace the code of a val with the same name. */
  possibleTakeovers: readonly string[];
  relativeImports: readonly { file: string; specifier: string }[];
}

export function createItemSender(context: Context, { api, workspace, ...given }: SenderOptions): ItemSender {
  const { say, signal, flags } = context;
  const { dryRun } = given;
  const possibleTakeovers: string[] = [];
  const relativeImports: { file: string; specifier: string }[] = [];
  const pushOptions = {
    ...given,
    beforeSending: () => signal.throwIfAborted(),
    onPossibleTakeover: ({ file }: WorkspaceVal) =>
      void possibleTakeovers.push(workspace ? pathTo(workspace, file) : file),
    beforeRenaming({ file, name }: WorkspaceVal, nameThere: string) {
      if (flags.json || flags.ndjson) return;
      say({
        kind: 'note',
        text: `${dryRun ? 'A push would rename' : 'Renaming'} the val "${nameThere}" of ${workspace ? pathTo(workspace, file) : file} to "${name}".`,
      });
    },
  };

  async function send(item: PushItem, remark: AddRemark): Promise<Outcome> {
    const { file, name } = item;
    if (item.val?.problem !== undefined) throw item.val.problem;
    const options = { ...pushOptions, remark };
    // Another command may have changed the id or the name in vals.json since the push began.
    const current = workspace;
    if (current && item.val && item.isPruned) return pruneVal(current, api, item.val, options);
    const val = item.val && (current?.vals.ofFile(item.val.file) ?? item.val);
    // The record must be read before the code, see `readLocalSide`.
    const record = val && current?.records.of(val);
    const code = await item.read();
    const isTracked = val !== undefined && current !== undefined;
    try {
      const outcome = isTracked
        ? await pushVal(current, api, val, { record, code }, options)
        : await pushUntracked(api, name, code ?? '', given);
      if (code === undefined) return outcome;
      if (isSent(outcome) || dryRun) noteRelativeImport(file, code);
      return outcome;
    } catch (error) {
      throw withNameProposed(error, name, (valid) => {
        if (!isTracked) {
          return { text: 'To use a valid name', command: 'push', input: { paths: [file], name: valid } };
        }
        const isListed = current.vals.ofFile(val.file) !== undefined;
        return isListed
          ? `In vals.json, change the name "${name}" to "${valid}".`
          : `Rename the file to ${valid}${extname(file)}.`;
      });
    }
  }

  function noteRelativeImport(file: string, code: string): void {
    const specifier = firstRelativeImport(code);
    if (specifier !== undefined) relativeImports.push({ file, specifier });
  }

  return { send, possibleTakeovers, relativeImports };
}

interface UntrackedOptions extends Pick<PushOptions, 'dryRun' | 'ifVersion' | 'remotes'> {
  seenBefore: readonly SeenVal[];
}

async function pushUntracked(
  api: Api,
  name: string,
  code: string,
  { dryRun, ifVersion, remotes, seenBefore }: UntrackedOptions,
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
  const [id, version] = [textAt(val, 'id'), textAt(val, 'version')];
  if (version === undefined) return false;
  if (before !== undefined) return isSameVersion(before.version, versionOf(val));
  return seenBefore.some((seen) => seen.id === id && seen.version === version);
}

/** A service without a list of vals can have only a val that this machine has seen. */
async function readNamed(
  remotes: RemoteVals,
  name: string,
  { ifVersion, seenBefore }: { ifVersion: string; seenBefore: readonly SeenVal[] },
): Promise<RemoteVal> {
  const named = await remotes.named(name);
  const id = seenBefore.find((val) => val.name === name)?.id;
  const seen = named === 'unknown' && id !== undefined ? (await remotes.read(id)).remote : undefined;
  const remote = named === 'unknown' ? seen : named;
  if (remote === undefined) throw noSuchVal(name, ifVersion);
  checkVersion(ifVersion, { val: remote.id ?? name, name, version: remote.version });
  return remote;
}
