// Which files a push is about, and which workspace each of them belongs to. Nothing is sent.
import { basename, resolve } from 'node:path';
import type { Context } from '../../core/command-line/context.ts';
import { LocalError, UsageError } from '../../core/errors.ts';
import { refuseLinkToSecret } from '../../core/files/typed-path.ts';
import { collectFiles, type FoundFile } from '../../core/files/walk.ts';
import type { Workspace } from '../workspace.ts';
import { createWorkspaces, type PathInWorkspace, type Workspaces } from '../workspaces.ts';

export interface WorkspaceFiles {
  workspace: Workspace;
  /** Relative to the root of the workspace. Undefined means all its files. */
  files: readonly string[] | undefined;
}

export interface WorkspaceSelection {
  kind: 'workspaces';
  parts: readonly WorkspaceFiles[];
  /** The files in the order of the arguments. */
  paths: readonly string[];
}

export type Selection =
  /** Files outside of workspaces, and standard input. */
  { kind: 'files'; files: readonly FoundFile[] } | WorkspaceSelection;

export async function selectFiles(
  context: Context,
  { paths, name }: { paths: readonly string[]; name?: string | undefined },
): Promise<Selection> {
  const workspaces = createWorkspaces(context);
  if (paths.length === 0) return { kind: 'workspaces', parts: [wholeWorkspace(workspaces)], paths: [] };
  if (name === undefined && paths.includes('-')) {
    throw new UsageError('Code from standard input needs a name.', {
      hint: { text: 'To give it a name', command: 'push', input: { paths: ['-'], name: 'hello' } },
    });
  }
  if (name !== undefined && paths.length > 1) {
    throw new UsageError('--name works with only one path, but several paths were given.', {
      hint: 'Push one path at a time, each with its own name.',
    });
  }
  const files = await collectFiles(paths, context);
  if (name !== undefined && files.length > 1) {
    throw new UsageError(`--name takes only one file, but ${paths[0]} has ${files.length} files.`, {
      hint: 'Give the path of one file.',
    });
  }
  return placed(context, workspaces, files);
}

function wholeWorkspace(workspaces: Workspaces): WorkspaceFiles {
  const workspace = workspaces.here();
  if (workspace !== undefined) return { workspace, files: undefined };
  throw new UsageError('No path was given, and this folder is not in a workspace.', {
    hint: [
      { text: 'To push a file', command: 'push', input: { paths: ['hello.ts'] } },
      { text: 'To make this folder a workspace', command: 'init' },
    ],
  });
}

function placed(context: Context, workspaces: Workspaces, files: readonly FoundFile[]): Selection {
  const outside: FoundFile[] = [];
  const inside = new Map<Workspace, string[]>();
  for (const file of files) {
    const isTyped = file.inFolder === undefined;
    if (isTyped) refuseHidden(file);
    const place = placeOf(workspaces, file);
    if (place === undefined) {
      outside.push(file);
      continue;
    }
    const { cwd } = context.settings;
    if (isTyped) refuseLinkToSecret(resolve(cwd, file.file), file.file, cwd);
    inside.set(place.workspace, [...(inside.get(place.workspace) ?? []), place.file]);
  }
  if (inside.size === 0) return { kind: 'files', files: outside };
  const [other] = outside;
  if (other !== undefined) {
    throw new UsageError(`${other.file} is in no workspace, and other files are in one.`, {
      hint: 'Push the files of workspaces and the others with two commands.',
    });
  }
  return {
    kind: 'workspaces',
    parts: [...inside].map(([workspace, found]) => ({ workspace, files: found })),
    paths: files.map(({ file }) => file),
  };
}

function placeOf(workspaces: Workspaces, { file }: FoundFile): PathInWorkspace | undefined {
  if (file === '-') return undefined;
  workspaces.refuseOtherRepository(file);
  return workspaces.placeOf(file);
}

/** Such files have settings and secrets, as .env has. */
function refuseHidden({ file }: FoundFile): void {
  if (!basename(file).startsWith('.')) return;
  throw new LocalError(`${file} cannot be pushed, because its name begins with a dot.`, {
    hint: 'Rename the file.',
  });
}
