// What one command knows of a workspace while it runs: its files, the vals of the service, the records and git.
import type { Run } from '../../core/command-line/command.ts';
import type { Api } from '../../core/http/api.ts';
import { warnWith } from '../../core/output/out.ts';
import { isOfThisMachine } from '../../core/settings/settings.ts';
import { openRepository, type Repository } from '../git/repository.ts';
import { openRecords, type Records } from '../record.ts';
import type { Workspace } from '../workspace.ts';
import { type FileNames, readFileNames } from './local.ts';
import { createRemotes, type Remotes } from './remotes.ts';

export interface Look {
  workspace: Workspace;
  api: Api;
  remotes: Remotes;
  names: FileNames;
  records: Records;
  /** The ids of vals.json, by name. Empty for a service on this machine. */
  written: ReadonlyMap<string, string>;
  /** Undefined if the folder is in no repository. */
  repository: Repository | undefined;
}

export interface LookOptions {
  /** How many vals the command is about. Undefined means all files of the workspace. */
  count?: number | undefined;
  /** Files that the user named. They count even if a push of the folder would leave them out. */
  named?: readonly string[];
}

export type LookContext = Run;

export async function openLook(
  run: LookContext,
  workspace: Workspace,
  api: Api,
  { count, named = [] }: LookOptions = {},
): Promise<Look> {
  const names = await readFileNames(run.out.say, workspace, { named });
  const records = openRecords(workspace.own, workspace.service, warnWith(run.out.say));
  const written = isOfThisMachine(workspace.service)
    ? new Map<string, string>()
    : (workspace.manifest.ids.get(workspace.service) ?? new Map<string, string>());
  const remotes = createRemotes(
    { ...run.vals, api },
    {
      recorded: (name) => records.of(name)?.id,
      written,
      names: new Set([...names.values()].flatMap((name) => name ?? [])),
    },
    count ?? names.size,
  );
  return {
    ...{ workspace, api, remotes, names, records, written },
    repository: openRepository(workspace.root, run.host),
  };
}

/** What the command learnt counts, however it ended. */
export const closeLook = ({ records }: Look): void => records.save();
