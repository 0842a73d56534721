// What one command knows of a workspace while it runs: its files, the vals of the service, and the history of git.

import type { Run } from '../core/command-line/command.ts';
import { lookup } from '../core/command-line/files-of-vals.ts';
import { nameFrom } from '../core/files/val-names.ts';
import { createDirectory } from '../core/find-val/directory.ts';
import type { Api } from '../core/http/api.ts';
import type { GitHistory } from './git-history.ts';
import { createRemoteVals, type RemoteVals } from './remote-vals.ts';
import { type FileNames, readFileNames } from './select.ts';
import type { Workspace } from './workspace.ts';

export interface Look {
  workspace: Workspace;
  api: Api;
  remotes: RemoteVals;
  history: GitHistory | undefined;
  names: FileNames;
  /** The text of git's HEAD when the command began. */
  head: string | undefined;
}

export interface LookOptions {
  /** How many vals the command is about. Undefined means all files of the workspace. */
  valCount?: number | undefined;
  /** Files that the user named. They count even if a push of the folder would leave them out. */
  named?: readonly string[];
}

export type LookContext = Run;

export async function openLook(
  run: LookContext,
  workspace: Workspace,
  api: Api,
  { valCount, named = [] }: LookOptions = {},
): Promise<Look> {
  const history = workspace.openHistory();
  const names = await readFileNames(run, workspace, { history, named });
  const remotes = createRemoteVals({ ...lookup(run), api }, valCount ?? names.size);
  return { workspace, api, remotes, history, names, head: workspace.head };
}

/** Reads the val anew, for a decision just before a write. */
export const withFreshRemotes = (run: LookContext, look: Look): Look => ({
  ...look,
  remotes: createRemoteVals(
    { api: look.api, seen: run.vals.seen, directory: createDirectory(async () => look.api, run.vals.seen) },
    1,
  ),
});

/** The name of the val that a file has or had. */
export const nameIn = ({ names, workspace }: Look, file: string): string | undefined =>
  names.get(file) ?? workspace.manifest.names.get(file) ?? nameFrom(file);

export const closeLook = async ({ history }: Look): Promise<void> => history?.close();
