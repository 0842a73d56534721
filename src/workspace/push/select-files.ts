// Which workspace the files of a push belong to. Nothing is sent.

import { resolve } from 'node:path';
import type { Context } from '../../core/command-line/command.ts';
import { UsageError } from '../../core/errors.ts';
import type { FoundFile } from '../../core/files/walk.ts';
import { refuseLinkToSecret } from '../../core/files/within.ts';
import { sh } from '../../core/lib/hint.ts';
import { chooseFiles } from '../../core/push/choose-files.ts';
import {
  createWorkspaces,
  oneWorkspace,
  type PathInWorkspace,
  type Workspace,
  type Workspaces,
} from '../workspace.ts';

export type Selection =
  /** Files outside of workspaces, and standard input. */
  { kind: 'files'; files: readonly FoundFile[] } | WorkspaceSelection;

interface WorkspaceSelection {
  kind: 'workspace';
  workspace: Workspace;
  /** Relative to the root of the workspace, in the order of the arguments. Undefined means all its files. */
  files: readonly string[] | undefined;
}

export async function selectFiles(
  context: Context,
  { paths, name }: { paths: readonly string[]; name: string | undefined },
): Promise<Selection> {
  const workspaces = createWorkspaces(context);
  if (paths.length === 0) return wholeWorkspace(workspaces);
  const [root, another] = paths;
  const place = root === undefined || another !== undefined ? undefined : placeOf(workspaces, root);
  if (place?.file === '') return { kind: 'workspace', workspace: place.workspace, files: undefined };
  return placed(context, workspaces, await chooseFiles(context, { paths, name }));
}

function wholeWorkspace(workspaces: Workspaces): WorkspaceSelection {
  const workspace = workspaces.here();
  if (workspace !== undefined) return { kind: 'workspace', workspace, files: undefined };
  throw new UsageError('No path was given, and this folder is not in a workspace.', {
    hint: [
      sh`To push a file, run ${['push', 'hello.ts']}.`,
      sh`To make this folder a workspace, run ${['init']}.`,
    ],
  });
}

function placed(
  { settings: { cwd } }: Context,
  workspaces: Workspaces,
  files: readonly FoundFile[],
): Selection {
  const places = files.map(({ file }) => placeOf(workspaces, file));
  const workspace = oneWorkspace(files.map(({ file }, index) => ({ path: file, place: places[index] })));
  if (workspace === undefined) return { kind: 'files', files };
  for (const { file, inFolder } of files) {
    if (inFolder === undefined) refuseLinkToSecret(resolve(cwd, file), file, cwd);
  }
  return { kind: 'workspace', workspace, files: places.flatMap((place) => place?.file ?? []) };
}

function placeOf(workspaces: Workspaces, file: string): PathInWorkspace | undefined {
  if (file === '-') return undefined;
  workspaces.refuseOtherRepository(file);
  return workspaces.placeOf(file);
}
