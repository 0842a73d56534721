// Plans a push: reads its files, compares them, and gives the steps and the files that cannot be sent.
import type { Context } from '../../core/command-line/command.ts';
import { ConflictError, LocalError, UsageError } from '../../core/errors.ts';
import { missingFile, readBelow } from '../../core/files/files.ts';
import { checkIsCode, similarFile } from '../../core/files/read-text.ts';
import { sh } from '../../core/lib/hint.ts';
import type { FailedFile, PushedFile } from '../../core/push/refuse-files.ts';
import { syntaxError, syntaxFaults } from '../../core/push/syntax.ts';
import { asCode } from '../code.ts';
import type { GitLimit } from '../compare/types.ts';
import { compareAll } from '../read/compare-vals.ts';
import type { DeletedFiles } from '../read/deleted-files.ts';
import { type Local, sortFiles } from '../read/local.ts';
import type { Session } from '../session.ts';
import { fixFor, hintAtGit } from '../states.ts';
import { pathTo, type Workspace } from '../workspace.ts';
import { type PlanOptions, type Step, sendsCode, stepFor } from './steps.ts';

export interface Plan {
  steps: readonly Step[];
  deletedFiles: DeletedFiles;
}

export async function planPush(
  context: Context,
  session: Session,
  locals: readonly Local[],
  options: PlanOptions & { isWhole: boolean },
): Promise<Plan> {
  const recentIfWhole = options.isWhole ? 'recent commits' : 'none';
  const searches = options.prune ? 'all commits' : recentIfWhole;
  const { results, deletedFiles } = await compareAll(context, session, locals, {
    searches,
    force: options.force,
  });
  if (options.prune) refuseWithoutGit(session, deletedFiles.limit);
  const steps: Step[] = [];
  for (const result of results) {
    if ('error' in result) {
      steps.push({ ...result, kind: 'refuse', remote: undefined });
      continue;
    }
    steps.push(stepFor(result, session, options));
  }
  const deleted = options.prune ? deletedFiles.missing.filter(({ movedTo }) => movedTo === undefined) : [];
  const deletions = deleted.map((val) => stepFor(val, session, options));
  return { steps: [...steps, ...deletions], deletedFiles };
}

/** Only git tells which files were deleted, and whether it has the code of their vals. */
function refuseWithoutGit({ repository }: Session, limit: GitLimit | undefined): void {
  if (repository === undefined) {
    throw new UsageError(
      '--prune works only in a repository of git, because git keeps the code of what is deleted.',
      {
        hint: sh`To delete a val, run ${['val', 'rm', '<val...>']}.`,
      },
    );
  }
  if (repository.isShallow) {
    throw new ConflictError(
      '--prune did nothing, because this checkout is shallow: git lacks the history that tells which files were deleted.',
      { hint: fixFor('shallow') },
    );
  }
  if (limit === undefined) return;
  throw new LocalError('--prune did nothing, because git did not tell which files were deleted.', {
    hint: hintAtGit(limit, 'which files were deleted'),
  });
}

/** Only files that would be sent are checked. */
export async function brokenFiles(
  context: Context,
  workspace: Workspace,
  steps: readonly Step[],
): Promise<FailedFile[]> {
  const sources = steps.filter(sendsCode).map(({ local }) => ({
    file: pathTo(workspace, local.file),
    name: local.name,
    read: async () => local.code.text,
  }));
  const faults = await syntaxFaults(context, sources);
  return sources.flatMap(({ file, name }) => {
    const [fault] = faults.get(file) ?? [];
    return fault === undefined ? [] : [{ file, name, error: syntaxError(file, fault) }];
  });
}

/** In the order of the arguments. */
export function readChosen(
  { settings }: Context,
  { workspace, names }: Session,
  chosen: readonly string[] | undefined,
): { locals: Local[]; all: PushedFile[]; failed: FailedFile[] } {
  const order = chosen ?? [...names.keys()];
  const isChosen = new Set(order);
  const { files, problem } = sortFiles(workspace, names, (file) => isChosen.has(file));
  if (problem !== undefined) throw problem;
  const named = new Map(files.map(({ file, name }) => [file, name]));
  const locals: Local[] = [];
  const all: PushedFile[] = [];
  const failed: FailedFile[] = [];
  for (const file of order) {
    const path = pathTo(workspace, file);
    const name = named.get(file) ?? '';
    all.push({ file: path, name });
    try {
      if (!names.has(file)) throw missingFile(path, undefined, similarFile(path, settings.cwd));
      const text = readBelow(workspace.root, file, path);
      // It is gone by now.
      if (text === undefined) continue;
      checkIsCode(path, text, chosen === undefined ? 'list the file in .valsignore' : undefined);
      locals.push({ file, name, code: asCode(text) });
    } catch (error) {
      if (!(error instanceof LocalError)) throw error;
      failed.push({ file: path, name, error });
    }
  }
  return { locals, all, failed };
}
