import { dirname, resolve } from 'node:path';
import { LocalError, UsageError } from '../core/errors.ts';
import { findRoot } from '../core/files/root.ts';
import { sh } from '../core/lib/hint.ts';
import { existingStats, isWithin, realPath } from '../core/lib/paths.ts';
import { repositoryOf } from './git/repository.ts';
import { fileAt, pathBelowRoot, type Workspace, type WorkspaceContext, workspaceAt } from './workspace.ts';

export interface PathInWorkspace {
  workspace: Workspace;
  /** Relative to the root of the workspace, and empty for the root itself. */
  file: string;
}

/** The workspaces that a command uses. Each is opened once, so that all its files share one view of vals.json. */
export interface Workspaces {
  /** A path belongs to the workspace whose vals.json is the nearest above the path, whatever the current folder is. */
  placeOf(path: string): PathInWorkspace | undefined;
  /** The workspace of the current folder. */
  here(): Workspace | undefined;
  /** Throws if the path is behind another .git below the current workspace: that repository may be somebody else's. */
  refuseOtherRepository(path: string): void;
}

export function createWorkspaces(context: WorkspaceContext): Workspaces {
  const { cwd } = context.settings;
  /** An agent uses no workspace beyond its own folder. */
  const { agent } = context.host;
  const roots = new Map<string, string | undefined>();
  const opened = new Map<string, Workspace>();

  function rootOf(folder: string): string | undefined {
    if (!roots.has(folder)) roots.set(folder, findRoot(folder));
    return roots.get(folder);
  }

  function workspaceOf(folder: string): Workspace | undefined {
    const root = rootOf(folder);
    if (root === undefined) return undefined;
    if (agent !== undefined && !agent.filesBelow.some((folder) => isWithin(folder, root))) return undefined;
    // One folder may be reached by several paths, through links.
    const key = realPath(root);
    const workspace = opened.get(key) ?? workspaceAt(root, context);
    opened.set(key, workspace);
    return workspace;
  }

  const folderOf = (target: string) => (existingStats(target)?.isDirectory() ? target : dirname(target));
  const here = () => workspaceOf(cwd);

  return {
    placeOf(path) {
      const workspace = workspaceOf(folderOf(resolve(cwd, path)));
      return workspace && { workspace, file: fileAt(workspace, path) };
    },
    here,
    refuseOtherRepository(path) {
      const workspace = here();
      if (workspace === undefined || pathBelowRoot(workspace, path) === undefined) return;
      const above = (folder: string) => realPath(repositoryOf(folder) ?? '/');
      if (above(folderOf(resolve(cwd, path))) !== above(workspace.root)) throw inOtherRepository(path);
    },
  };
}

const inOtherRepository = (path: string): LocalError =>
  new LocalError(`${path} was not used, because it is in another repository.`, {
    hint: 'Go to the folder of that repository, and run the command there.',
  });

export function refuseNested(folder: string): void {
  const root = findRoot(folder);
  if (root === undefined || root === folder) return;
  throw new UsageError(`This folder is already in a workspace: ${root}.`, {
    hint: [
      'Run the command outside of that workspace.',
      sh`To add all your vals to that workspace, run ${['pull', '--all']}.`,
    ],
  });
}
