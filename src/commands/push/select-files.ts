// Which files a push is about, and which workspace each of them belongs to. Nothing is sent.
import { basename, resolve } from 'node:path';
import type { Context } from '../../cli/context.ts';
import { LocalError, UsageError } from '../../errors.ts';
import { pathProblem } from '../../workspace/disk/file-names.ts';
import { inOtherProject } from '../../workspace/sources/nested-project.ts';
import { refuseLinkToSecret } from '../../workspace/sources/typed-path.ts';
import { collectFiles, type FoundFile } from '../../workspace/sources/walk.ts';
import { pathBelowRoot, type Workspace } from '../../workspace/workspace.ts';
import { createWorkspaces, type PathInWorkspace, type Workspaces } from '../../workspace/workspaces.ts';

export interface WorkspaceFiles {
  workspace: Workspace;
  /** Relative to the root of the workspace. Undefined means all its files. */
  files: readonly string[] | undefined;
}

export type Selection =
  /** Files outside of workspaces, and standard input. */
  { kind: 'files'; files: readonly FoundFile[] } | { kind: 'workspaces'; parts: readonly WorkspaceFiles[] };

export async function selectFiles(
  context: Context,
  { paths, name }: { paths: readonly string[]; name?: string | undefined },
): Promise<Selection> {
  const workspaces = createWorkspaces(context);
  if (paths.length === 0) return { kind: 'workspaces', parts: [wholeWorkspace(workspaces)] };
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
    const place = placeOf(workspaces, file);
    if (place === undefined) outside.push(visibleFile(file));
    else if (isUsable(context, file, place))
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
  };
}

function placeOf(workspaces: Workspaces, { file }: FoundFile): PathInWorkspace | undefined {
  if (file === '-') return undefined;
  const place = workspaces.placeOf(file);
  if (place !== undefined) return place;
  const here = workspaces.here();
  // Somebody may have put a repository below the workspace.
  if (here !== undefined && pathBelowRoot(here, file) !== undefined) throw inOtherProject(file, 'push');
  return undefined;
}

/** Such files have settings and secrets, as .env has. In a workspace no part of the path may begin with a dot. */
function visibleFile(found: FoundFile): FoundFile {
  const { file, inFolder } = found;
  if (inFolder !== undefined || !basename(file).startsWith('.')) return found;
  throw new LocalError(`${file} cannot be pushed, because its name begins with a dot.`, {
    hint: 'Rename the file.',
  });
}

function isUsable(
  { settings, say }: Context,
  { file, inFolder }: FoundFile,
  place: PathInWorkspace,
): boolean {
  const problem = pathProblem(place.file);
  const isNamed = inFolder === undefined;
  if (problem === undefined) {
    if (isNamed) refuseLinkToSecret(resolve(settings.cwd, file), file, settings.cwd);
    return true;
  }
  if (isNamed) {
    throw new LocalError(`${file} cannot be pushed in this workspace, because its path ${problem}.`, {
      hint: 'Rename the file or its folder.',
    });
  }
  say({ kind: 'warning', text: `${file} was not pushed, because its path ${problem}.` });
  return false;
}
