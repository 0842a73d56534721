// With `vals push --watch --pull`, what changes on the service is written into files that did not change here.
import type { Api } from '../../api/api.ts';
import type { Context } from '../../cli/context.ts';
import { concernsAll, endsWatch, messageWithHint, UnavailableError, ValsError } from '../../errors.ts';
import { column } from '../../terminal/column.ts';
import { examine, localSideOf, readLocalTexts } from '../../workspace/examine.ts';
import { type PullOptions, pullVal } from '../../workspace/pull-val.ts';
import { createBackup } from '../../workspace/records/backup.ts';
import { createRemoteVals } from '../../workspace/remote-vals.ts';
import { createNestedProjectCheck } from '../../workspace/sources/nested-project.ts';
import { stateOf } from '../../workspace/state.ts';
import { pathTo, type Workspace } from '../../workspace/workspace.ts';
import { outcomeColumn, versionColumn } from '../shared/columns.ts';

interface PullingOptions {
  workspace: Workspace;
  api: Api;
  isChosen(file: string): boolean;
  /** A file that is being pushed is left to the push. */
  isBusy(file: string): boolean;
  saveManifest(): Promise<void>;
  endWatch(error: unknown): void;
}

const pauseMs = 5_000;
/** At most a twentieth of the time goes into looking. */
const pausesPerLook = 19;

/** Returns a function that ends the pulling. */
export function pullWhileWatching(context: Context, options: PullingOptions): () => Promise<void> {
  const { clock } = context;
  const { endWatch } = options;
  let isStopped = false;
  let looking = Promise.resolve();
  let cancel = clock.after(pauseMs, look);

  function look(): void {
    const began = clock.now();
    looking = pullChanges(context, options, () => isStopped)
      .catch((error) => {
        if (endsWatch(error)) endWatch(error);
        // Otherwise the service cannot be reached, and the next look tries again.
      })
      .then(() => {
        const tookMs = clock.now() - began;
        if (!isStopped) cancel = clock.after(Math.max(pauseMs, pausesPerLook * tookMs), look);
      });
  }

  return async () => {
    isStopped = true;
    cancel();
    await looking;
  };
}

async function pullChanges(
  context: Context,
  { workspace, api, isChosen, isBusy, saveManifest }: PullingOptions,
  isStopped: () => boolean,
): Promise<void> {
  const remotes = createRemoteVals({ ...context, api }, 'all');
  const columns = [outcomeColumn, column('name'), versionColumn];
  const options: PullOptions = {
    ...{ merge: false, force: false, dryRun: false, isNamedInCommand: false },
    remark() {},
    backup: createBackup(workspace.own),
    isInOtherProject: createNestedProjectCheck(workspace.root),
    onMove() {},
    onGone() {},
  };
  for (const val of workspace.vals) {
    if (isStopped()) return;
    if (!isChosen(val.file) || isBusy(val.file)) continue;
    try {
      const examined = await examine(workspace, remotes, val, localSideOf(readLocalTexts(workspace, val)));
      if (stateOf(examined) !== 'changed there' || isBusy(val.file)) continue;
      const outcome = await pullVal(workspace, remotes, val, options);
      await context.event({ file: pathTo(workspace, val.file), name: val.name, ...outcome }, columns);
    } catch (error) {
      // The file may have been saved meanwhile. Its push will tell.
      if (!(error instanceof ValsError) || concernsAll(error) || error instanceof UnavailableError)
        throw error;
      context.say({ kind: 'warning', text: messageWithHint(error) });
    }
  }
  await saveManifest();
}
