// With `vals push --watch --pull`, what changes on the service is written into files that did not change here.

import type { Run } from '../../core/command-line/command.ts';
import { outcomeColumn, versionColumn } from '../../core/commands/shared/columns.ts';
import { LocalError, messageWithHint, UnavailableError, ValsError } from '../../core/errors.ts';
import type { Api } from '../../core/http/api.ts';
import { type Column, column } from '../../core/output/column.ts';
import { examineFile, readLocalSide } from '../examine.ts';
import { closeLook, type Look, openLook } from '../look.ts';
import { pullVal } from '../pull/pull-val.ts';
import { createBackup } from '../records/backup.ts';
import { pathTo, type Workspace } from '../workspace.ts';

interface PullingOptions {
  workspace: Workspace;
  api: Api;
  ending: AbortSignal;
  isChosen(file: string): boolean;
  /** A saved file is left to the push. */
  isSaved(file: string): boolean;
}

export async function pullChanges(run: Run, options: PullingOptions): Promise<void> {
  const look = await openLook(run, options.workspace, options.api);
  try {
    for (const [file, name] of look.names) {
      if (options.ending.aborted) return;
      if (name !== undefined && options.isChosen(file)) await pullChange(run, look, { file, name }, options);
    }
  } catch (error) {
    // If the service cannot be reached, the next look tries again.
    if (!(error instanceof UnavailableError)) throw error;
  } finally {
    await closeLook(look);
  }
}

async function pullChange(
  run: Run,
  look: Look,
  val: { file: string; name: string },
  { isSaved }: PullingOptions,
): Promise<void> {
  const { workspace } = look;
  try {
    const local = readLocalSide(look, val);
    if (isSaved(val.file) || local.here === undefined) return;
    const examined = await examineFile(look, { ...local, here: local.here });
    if (examined.status !== 'changed there' || isSaved(val.file)) return;
    const backup = createBackup(workspace.own);
    const options = { merge: false, force: false, dryRun: false, isNamed: false, backup };
    const { outcome } = await pullVal(look, examined, options);
    const row = { file: pathTo(workspace, val.file), name: val.name, ...outcome };
    await run.out.row(row, savedColumns(run));
  } catch (error) {
    // The file may have been saved meanwhile. Its push will tell.
    const concernsOne =
      error instanceof ValsError && error.scope === 'item' && !(error instanceof UnavailableError);
    if (!concernsOne && !(error instanceof LocalError)) throw error;
    run.out.say({ kind: 'warning', text: messageWithHint(error) });
  }
}

/** For what `--watch` pushes and pulls. */
export const savedColumns = ({ host: { clock }, out: { forPerson } }: Run): Column[] => [
  {
    ...column('time'),
    compute() {
      const now = new Date(clock.now());
      return forPerson ? now.toTimeString().slice(0, 8) : now.toISOString();
    },
  },
  outcomeColumn,
  column('name'),
  versionColumn,
];
