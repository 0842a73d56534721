// Which files a push is about, which workspace each of them belongs to, and which val it is. Nothing is sent.
import { resolve } from 'node:path';
import type { Context } from '../../cli/context.ts';
import { LocalError, UsageError } from '../../errors.ts';
import { warnWith } from '../../lib/say.ts';
import { identifyInWorkspace } from '../../names/identify.ts';
import { pathProblem } from '../../workspace/disk/file-names.ts';
import { existsBelow, readBelow } from '../../workspace/disk/files.ts';
import { createFileCheck, type SelectedVal, selectForPush } from '../../workspace/select.ts';
import { createNestedProjectCheck, inOtherProject } from '../../workspace/sources/nested-project.ts';
import { checkNotEmpty } from '../../workspace/sources/read-text.ts';
import { refuseLinkToSecret } from '../../workspace/sources/typed-path.ts';
import { nameFrom, refuseSameNames, sameName, withoutName } from '../../workspace/sources/val-names.ts';
import { collectFiles, type FoundFile, pathExists } from '../../workspace/sources/walk.ts';
import { pathBelowRoot, pathTo, valOfFile } from '../../workspace/workspace.ts';
import { createWorkspaces, type PathInWorkspace, type Workspaces } from '../../workspace/workspaces.ts';
import { itemOfVal, type PushItem, readableFile } from './item.ts';

export interface SelectOptions {
  paths: readonly string[];
  /** --name */
  name?: string | undefined;
}

export async function selectFiles(context: Context, { paths, name }: SelectOptions): Promise<PushItem[]> {
  const workspaces = createWorkspaces(context);
  if (paths.length === 0) return selectWorkspace(context, workspaces);
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
  const files = await collectFiles(
    paths.map((word) => pathOf(context, workspaces, word)),
    context,
    (path) => isListed(workspaces, path),
  );
  if (name !== undefined && files.length > 1) {
    throw new UsageError(`--name takes only one file, but ${paths[0]} has ${files.length} files.`, {
      hint: 'Give the path of one file.',
    });
  }
  const found = files.map((file) => ({ file, place: placeOf(workspaces, file) }));
  return selectEach(context, found, name);
}

async function selectWorkspace({ say }: Context, workspaces: Workspaces): Promise<PushItem[]> {
  const workspace = workspaces.here();
  if (workspace === undefined) {
    throw new UsageError('No path was given, and this folder is not in a workspace.', {
      hint: [
        { text: 'To push a file', command: 'push', input: { paths: ['hello.ts'] } },
        { text: 'To make this folder a workspace', command: 'init' },
      ],
    });
  }
  const vals = await selectForPush(workspace, say);
  const wayOut = 'list the file in .valsignore';
  return vals.map((val) => itemOfVal(workspace, val, wayOut));
}

/** The word is a path, or the name or the id of a val. The path of a val counts even if its file does not exist. */
export function pathOf({ settings, say }: Context, workspaces: Workspaces, word: string): string {
  if (word === '-' || pathExists(settings.cwd, word)) return word;
  const found = identifyInWorkspace(workspaces, word);
  if (found === undefined) return word;
  const { workspace, val } = found;
  const path = pathTo(workspace, val.file);
  if (workspaces.placeOf(word)?.file === val.file) return word;
  // A vals.json from somebody else may give a harmless name to an ignored file.
  if (createNestedProjectCheck(workspace.root)(val.file)) throw inOtherProject(path, 'push');
  const reason = createFileCheck(workspace, warnWith(say))(val);
  if (reason !== undefined) throw pathNeeded(word, path, reason);
  return path;
}

const pathNeeded = (word: string, path: string, reason: string): UsageError =>
  new UsageError(`The val "${word}" was not pushed, because its file ${path} is ${reason}.`, {
    hint: { text: 'To push the file by its path', command: 'push', input: { paths: [path] } },
  });

interface PlacedFile {
  file: FoundFile;
  place: PathInWorkspace | undefined;
}

function selectEach(
  context: Context,
  found: readonly PlacedFile[],
  givenName: string | undefined,
): PushItem[] {
  const usable = found.filter(({ file, place }) => place === undefined || canBeListed(context, file, place));
  const unnamed = usable.filter(({ file, place }) => givenName === undefined && !hasName(file, place));
  if (unnamed.length > 0) throw withoutName(unnamed.map(({ file }) => file.file));
  const items = usable.map(({ file, place }): PushItem => {
    const readable = readableFile(context, file);
    if (place === undefined) {
      const name = givenName ?? nameFrom(file.file) ?? '';
      return { ...readable, name, workspace: undefined };
    }
    if (file.inFolder === undefined) {
      refuseLinkToSecret(resolve(context.settings.cwd, file.file), file.file, context.settings.cwd);
    }
    const { workspace } = place;
    const val = givenName === undefined ? valOf(place) : valWithName(place, givenName);
    const read = async () => {
      const code = readBelow(workspace.root, val.file, file.file);
      // If the file does not exist, `readable.read` throws an error that says so.
      return code === undefined ? readable.read() : checkNotEmpty(file.file, code);
    };
    return { ...readable, name: val.name, workspace, val, canReadAgain: true, read };
  });
  refuseSameNames(items);
  return items;
}

function isListed(workspaces: Workspaces, path: string): boolean {
  const place = workspaces.placeOf(path);
  return place !== undefined && valOfFile(place.workspace, place.file) !== undefined;
}

function placeOf(workspaces: Workspaces, { file }: FoundFile): PathInWorkspace | undefined {
  if (file === '-') return undefined;
  const place = workspaces.placeOf(file);
  if (place !== undefined) return place;
  const here = workspaces.here();
  // The workspace of the current folder may list a file of a repository that somebody put below it.
  if (here !== undefined && pathBelowRoot(here, file) !== undefined) throw inOtherProject(file, 'push');
  return undefined;
}

const hasName = ({ file }: FoundFile, place: PathInWorkspace | undefined): boolean =>
  nameFrom(file) !== undefined ||
  (place !== undefined && valOfFile(place.workspace, place.file) !== undefined);

/**
 * vals.json cannot list a file with an invalid path. So a push of the file would overwrite the val of the same name
 * without a comparison.
 */
function canBeListed({ say }: Context, { file, inFolder }: FoundFile, place: PathInWorkspace): boolean {
  const problem = pathProblem(place.file);
  if (problem === undefined) return true;
  const isNamedByUser = inFolder === undefined;
  if (isNamedByUser) {
    throw new LocalError(`${file} cannot be pushed in this workspace, because its path ${problem}.`, {
      hint: 'Rename the file or its folder.',
    });
  }
  say({ kind: 'warning', text: `${file} was not pushed, because its path ${problem}.` });
  return false;
}

/** The val of the file in vals.json, or a new one. */
export function valOf({ workspace, file }: PathInWorkspace): SelectedVal {
  const listed = valOfFile(workspace, file);
  if (listed !== undefined) return listed;
  const path = pathTo(workspace, file);
  const name = nameFrom(file);
  if (name === undefined) throw withoutName([path]);
  const other = workspace.vals.ofName(name);
  const val = { file, name, id: undefined };
  // A file that does not exist is reported when it is read.
  if (other === undefined || !existsBelow(workspace.root, file)) return val;
  const problem = sameName(pathTo(workspace, other.file), { file: path, name });
  if (existsBelow(workspace.root, other.file)) throw problem;
  // The other file is gone, so this one may be the same file at another place.
  return { ...val, problem };
}

function valWithName({ workspace, file }: PathInWorkspace, name: string): SelectedVal {
  const listed = valOfFile(workspace, file);
  const path = pathTo(workspace, file);
  if (listed?.name === name) return listed;
  if (listed !== undefined) {
    throw new UsageError(
      `${path} is the val "${listed.name}" in vals.json, so --name ${name} does not apply.`,
      {
        hint: { text: 'To rename the val', command: 'val set', input: { val: path, name } },
      },
    );
  }
  const other = workspace.vals.ofName(name);
  if (other !== undefined) {
    throw new UsageError(
      `vals.json has the val "${name}" already, for the file ${pathTo(workspace, other.file)}.`,
      {
        hint: [
          'Choose another name.',
          { text: 'To rename that val', command: 'val set', input: { val: name, name: true } },
        ],
      },
    );
  }
  return { file, name, id: undefined };
}
