// Opens a workspace for `status`, `diff` and `pull`, and compares the files that the words of the command mean with their vals.

import type { Context } from '../../core/command-line/command.ts';
import { createValFinder } from '../../core/command-line/resolve-vals.ts';
import {
  messageWithHint,
  NotFoundError,
  UsageError,
  undefinedIf,
  type ValsError,
} from '../../core/errors.ts';
import { asQuestion, nearest, sh } from '../../core/lib/hint.ts';
import { withSlashes } from '../../core/lib/paths.ts';
import type { FileStatus } from '../file-status.ts';
import { refuseOtherService } from '../services.ts';
import { type Session, withSession } from '../session.ts';
import {
  createWorkspaces,
  isTypedInside,
  nameOfService,
  oneWorkspace,
  pathTo,
  type Workspace,
  type Workspaces,
} from '../workspace.ts';
import { compareAll } from './compare-vals.ts';
import type { DeletedFile, DeletedFiles } from './deleted-files.ts';
import { createPathFilter, type NamedFile, readLocals, sortFiles } from './local.ts';
import { readOwnVal, readVal } from './remotes.ts';

export interface ComparedVals {
  session: Session;
  /** In the order of the files. */
  statuses: FileStatus[];
  deletedFiles: DeletedFiles;
  /** The words that no val of the workspace has, and the ids of their vals, if there are such vals. */
  unknown: ReadonlyMap<string, string | undefined>;
  /** About files that cannot be compared. The others are in `statuses`. */
  error: ValsError | undefined;
}

interface CompareOptions {
  /** Vals, files or folders. None means all files. */
  words: readonly string[];
  /** Also the vals of the service whose files were deleted here. */
  findsMissing: boolean;
  /** The files are overwritten, so nothing is read to tell which side is newer. */
  force?: boolean;
  /** Then the service must be one that vals.json lists. */
  writesFiles?: boolean;
}

/** The workspace that a command with words works on: vals, paths or folders of one workspace. */
export function workspaceOfWords(workspaces: Workspaces, words: readonly string[]): Workspace {
  // A word without a slash may be the name of a val.
  for (const word of words) if (withSlashes(word).includes('/')) workspaces.refuseOtherRepository(word);
  const paths = words.map((path) => ({ path, place: workspaces.placeOf(path) }));
  const workspace = oneWorkspace(paths.filter(({ place }) => place !== undefined)) ?? workspaces.here();
  if (workspace !== undefined) return workspace;
  throw new UsageError('This folder is not in a workspace.', {
    hint: sh`To make this folder a workspace, run ${['init']}.`,
  });
}

/** `use` gets what was compared. */
export async function compareWorkspace<Result>(
  context: Context,
  options: CompareOptions,
  use: (compared: ComparedVals) => Promise<Result>,
): Promise<Result> {
  const workspace = workspaceOfWords(createWorkspaces(context), options.words);
  if (options.writesFiles) refuseOtherService(workspace);
  context.out.say({ kind: 'progress', text: `Comparing with ${nameOfService(workspace.service)}` });
  const stopping = new AbortController();
  const api = await context.api({ signal: AbortSignal.any([context.host.signal, stopping.signal]) });
  return withSession(context, { workspace, api }, async (session) =>
    use(await compareWords(context, session, { ...options, stopping })),
  );
}

async function compareWords(
  context: Context,
  session: Session,
  { words, findsMissing, force = false, stopping }: CompareOptions & { stopping: AbortController },
): Promise<ComparedVals> {
  const { workspace } = session;
  const { files, problem } = sortFiles(workspace, session.names);
  const { chosen, unknown } = await chooseByWords(context, session, files, words);
  const { locals, failed } = readLocals(workspace, chosen);
  const needsMissing = findsMissing && (words.length === 0 || unknown.size > 0);
  const { results, deletedFiles } = await compareAll(context, session, locals, {
    searches: needsMissing ? 'recent commits' : 'none',
    force,
    stopping,
  });
  const statuses = results.map((result) => {
    if ('error' in result) throw result.error;
    return result;
  });
  const isBelow = new Map([...unknown.keys()].map((word) => [word, createPathFilter(workspace, [word])]));
  const matches =
    (val: DeletedFile) =>
    ([word, id]: [string, string | undefined]) =>
      word === val.name || isBelow.get(word)?.(val.file) || val.remote.id === id;
  const missing = needsMissing
    ? deletedFiles.missing.filter((val) => words.length === 0 || [...unknown].some(matches(val)))
    : [];
  const stillUnknown = [...unknown].filter((each) => !missing.some((val) => matches(val)(each)));
  return {
    ...{ session, deletedFiles, unknown: new Map(stillUnknown) },
    statuses: [...statuses, ...missing].sort((a, b) => (a.file < b.file ? -1 : 1)),
    error: firstError(context, [
      ...(problem === undefined ? [] : [problem]),
      ...failed.map(({ error }) => error),
    ]),
  };
}

/** `unknown` maps each word that no file fits to the id of its val, or to undefined if there is no such val. */
async function chooseByWords(
  context: Context,
  session: Session,
  files: readonly NamedFile[],
  words: readonly string[],
): Promise<{ chosen: readonly NamedFile[]; unknown: Map<string, string | undefined> }> {
  const unknown = new Map<string, string | undefined>();
  if (words.length === 0) return { chosen: files, unknown };
  const identify = createValFinder(context);
  const chosen = new Set<NamedFile>();
  for (const word of new Set(words)) {
    const isBelow = createPathFilter(session.workspace, [word]);
    const fitting = files.filter(({ file, name }) => name === word || isBelow(file));
    const val = fitting.length > 0 ? undefined : await identify(word).catch(undefinedIf(NotFoundError));
    const all = val === undefined ? fitting : await filesWithId(session, files, val.id);
    for (const file of all) chosen.add(file);
    if (all.length === 0) unknown.set(word, val?.id);
  }
  return { chosen: files.filter((file) => chosen.has(file)), unknown };
}

/** The file that this folder knows to be of this val, or else the file of its name, if it has no other val that is still there. */
async function filesWithId(session: Session, files: readonly NamedFile[], id: string): Promise<NamedFile[]> {
  const { lastSyncs, manifestIds, reads } = session;
  const idOf = (name: string) => manifestIds.get(name) ?? lastSyncs.of(name)?.id;
  const known = files.filter(({ name }) => idOf(name) === id);
  if (known.length > 0) return known;
  const remote = await readOwnVal(session, id);
  const named = files.find(({ name }) => name === remote?.name);
  if (named === undefined) return [];
  const other = idOf(named.name);
  if (other !== undefined && (await readVal(session, other)) !== undefined) return [];
  reads.chosen.set(named.name, id);
  return [named];
}

function firstError(
  { out: { say } }: Pick<Context, 'out'>,
  errors: readonly ValsError[],
): ValsError | undefined {
  const [first, ...others] = new Map(errors.map((error) => [error.message, error])).values();
  for (const error of others) say({ kind: 'warning', text: messageWithHint(error) });
  return first;
}

export function refuseUnknownWords({ session, unknown }: ComparedVals): void {
  const { workspace, names } = session;
  const [word] = unknown.keys();
  if (word === undefined) return;
  const known = [...names].flatMap(([file, name]) => [name ?? '', pathTo(workspace, file)]);
  const list = sh`To list the vals of the workspace, run ${['status']}.`;
  const suggestion = asQuestion(nearest(word, known).map((name) => `"${name}"`));
  throw new NotFoundError(`The workspace has no val "${word}".${suggestion}`, {
    hint: isTypedInside(workspace) ? list : [`Go to the folder ${pathTo(workspace, '.')}.`, list],
  });
}
