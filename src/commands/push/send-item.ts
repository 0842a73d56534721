import { extname } from 'node:path';
import type { Api } from '../../api/api.ts';
import { textAt, versionOf } from '../../api/records.ts';
import * as routes from '../../api/routes.ts';
import type { AddRemark } from '../../cli/batch.ts';
import type { Context } from '../../cli/context.ts';
import type { Outcome } from '../../lib/outcome.ts';
import type { SeenVal } from '../../names/seen-file.ts';
import { pruneVal } from '../../workspace/prune-val.ts';
import { tokenInFile } from '../../workspace/pull-val.ts';
import { type PushOptions, pushVal } from '../../workspace/push-val.ts';
import { idAndVersion } from '../../workspace/remote-vals.ts';
import { firstRelativeImport } from '../../workspace/sources/warnings.ts';
import type { WorkspaceVal } from '../../workspace/vals.ts';
import { pathTo, type Workspace } from '../../workspace/workspace.ts';
import { withNameProposed } from '../shared/messages.ts';
import type { PushItem } from './item.ts';
import { isSent } from './outcomes.ts';

interface SenderOptions
  extends Pick<PushOptions, 'force' | 'isNamed' | 'mayOverwrite' | 'fork' | 'dryRun' | 'remotes'> {
  api: Api;
  workspace: Workspace | undefined;
}

export interface ItemSender {
  send(item: PushItem, remark: AddRemark): Promise<Outcome>;
  /** New files whose push may replace the code of a val with the same name. */
  possibleTakeovers: readonly string[];
  relativeImports: readonly { file: string; specifier: string }[];
}

export async function createItemSender(
  context: Context,
  { api, workspace, ...given }: SenderOptions,
): Promise<ItemSender> {
  const { say, signal, flags } = context;
  const { dryRun } = given;
  const possibleTakeovers: string[] = [];
  const relativeImports: { file: string; specifier: string }[] = [];
  // The versions must be read before the push, because the push adds its own versions to `context.seen`.
  const seenBefore = workspace ? [] : (await context.seen.recall()).mine;
  const pushOptions = {
    ...given,
    beforeSending: () => signal.throwIfAborted(),
    onPossibleTakeover: ({ file }: WorkspaceVal) =>
      void possibleTakeovers.push(workspace ? pathTo(workspace, file) : file),
    beforeRenaming({ file, name }: WorkspaceVal, nameThere: string) {
      if (flags.json || flags.ndjson) return;
      say.note(
        `${dryRun ? 'A push would rename' : 'Renaming'} the val "${nameThere}" of ${workspace ? pathTo(workspace, file) : file} to "${name}".`,
      );
    },
  };

  async function send(item: PushItem, remark: AddRemark): Promise<Outcome> {
    const { file, name } = item;
    if (item.val?.problem !== undefined) throw item.val.problem;
    const options = { ...pushOptions, remark };
    // Another command may have changed the id or the name in vals.json since the push began.
    const current = workspace?.refreshed();
    if (current && item.val && item.isPruned) return pruneVal(current, api, item.val, options);
    const val = item.val && (current?.vals.ofFile(item.val.file) ?? item.val);
    // The record must be read before the code, see `readLocalSide`.
    const record = val && current?.records.of(val);
    const code = await item.read();
    const isTracked = val !== undefined && current !== undefined;
    try {
      const outcome = isTracked
        ? await pushVal(current, api, val, { record, code }, options)
        : await pushUntracked(api, name, code ?? '', { dryRun, seenBefore });
      if (code === undefined) return outcome;
      if (isSent(outcome) || dryRun) noteRelativeImport(file, code);
      if (api.holdsToken(code)) say.warn(tokenInFile(file));
      return outcome;
    } catch (error) {
      throw withNameProposed(error, name, (valid) =>
        isTracked
          ? `Rename the file to ${valid}${extname(file)}.`
          : { text: 'To use a valid name', command: 'push', input: { paths: [file], name: valid } },
      );
    }
  }

  function noteRelativeImport(file: string, code: string): void {
    const specifier = firstRelativeImport(code);
    if (specifier !== undefined) relativeImports.push({ file, specifier });
  }

  return { send, possibleTakeovers, relativeImports };
}

async function pushUntracked(
  api: Api,
  name: string,
  code: string,
  { dryRun, seenBefore }: { dryRun: boolean; seenBefore: readonly SeenVal[] },
): Promise<Outcome> {
  const call = routes.putVal(name, code);
  api.refuseToken(call);
  if (dryRun) return { status: 'planned' };
  const { status, body = null } = await api.send(call);
  const id = textAt(body, 'id');
  const facts = idAndVersion(id, versionOf(body));
  if (status === 201) return { status: 'created', ...facts };
  // The service makes no new version if the code is the same. So the val is unchanged if this machine has seen the
  // version before.
  const version = textAt(body, 'version');
  const isUnchanged =
    version !== undefined && seenBefore.some((val) => val.id === id && val.version === version);
  return { status: isUnchanged ? 'unchanged' : 'pushed', ...facts };
}
