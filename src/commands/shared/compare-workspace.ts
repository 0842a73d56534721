// Compares the files of a workspace with the service, for `status`, `diff` and `pull`.
import type { Context } from '../../cli/context.ts';
import { LocalError, messageWithHint, NotFoundError, type UsageError, ValsError } from '../../errors.ts';
import { didYouMean } from '../../lib/suggest.ts';
import { type Examined, type FileToExamine, readLocalSide } from '../../workspace/examine.ts';
import { closeLook, type Look, openLook } from '../../workspace/look.ts';
import { examineMissing } from '../../workspace/missing.ts';
import { isBelow, type LocalVal, namedVals, workspaceOfWords } from '../../workspace/select.ts';
import { isTypedInside, nameOfService, pathTo } from '../../workspace/workspace.ts';
import { createWorkspaces } from '../../workspace/workspaces.ts';
import { examineAll } from './examine-all.ts';

export interface ComparedVals {
  look: Look;
  vals: Examined[];
  /** The words that no val of the workspace has. */
  unknown: string[];
  /** About files that cannot be compared. The others are in `vals`. */
  error: ValsError | undefined;
}

interface CompareOptions {
  /** Vals, files or folders. None means all files. */
  words: readonly string[];
  /** Also the vals of the service whose files are missing here. */
  findsMissing: boolean;
}

/** `use` gets what was compared while the history of git is open. */
export async function compareWorkspace<Result>(
  context: Context,
  options: CompareOptions,
  use: (compared: ComparedVals) => Promise<Result>,
): Promise<Result> {
  const workspace = workspaceOfWords(createWorkspaces(context), options.words);
  context.say({ kind: 'progress', text: `Comparing with ${nameOfService(workspace.service)}` });
  const look = await openLook(context, workspace, await context.connect());
  try {
    return await use(await compareFiles(context, look, options));
  } finally {
    await closeLook(look);
  }
}

export async function compareFiles(
  context: Context,
  look: Look,
  { words, findsMissing }: CompareOptions,
): Promise<ComparedVals> {
  const { workspace } = look;
  const { vals: named, problem } = namedVals(workspace, look.names);
  const { chosen, unknown } = chooseByWords(look, named, words);
  const { files, errors } = readAll(look, chosen);
  const { results } = await examineAll(context, look, files);
  const failed = results.find((result) => result instanceof ValsError);
  if (failed !== undefined) throw failed;
  const vals = results.filter((result): result is Examined => !(result instanceof ValsError));
  const needsMissing = findsMissing && (words.length === 0 || unknown.length > 0);
  const { missing } = needsMissing ? await examineMissing(look, vals, { isPrune: false }) : { missing: [] };
  const isMeantBy = (word: string) => (val: LocalVal) =>
    word === val.name || isBelow(workspace, [word], val.file);
  const wanted = missing.filter((val) => words.length === 0 || unknown.some((word) => isMeantBy(word)(val)));
  const stillUnknown = unknown.filter((word) => !wanted.some(isMeantBy(word)));
  const all = [...vals, ...wanted].sort((a, b) => (a.file < b.file ? -1 : 1));
  return { look, vals: all, unknown: stillUnknown, error: firstError(context, problem, errors) };
}

function chooseByWords(
  { workspace }: Look,
  named: readonly LocalVal[],
  words: readonly string[],
): { chosen: readonly LocalVal[]; unknown: string[] } {
  if (words.length === 0) return { chosen: named, unknown: [] };
  const chosen = new Set<LocalVal>();
  const unknown: string[] = [];
  for (const word of new Set(words)) {
    const isMeant = ({ file, name }: LocalVal) =>
      name === word || isBelow(workspace, [word], file) || workspace.records.of(name)?.id === word;
    const found = named.filter(isMeant);
    for (const val of found) chosen.add(val);
    if (found.length === 0) unknown.push(word);
  }
  return { chosen: [...chosen], unknown };
}

function readAll(look: Look, vals: readonly LocalVal[]): { files: FileToExamine[]; errors: ValsError[] } {
  const files: FileToExamine[] = [];
  const errors: ValsError[] = [];
  for (const val of vals) {
    try {
      const { here, ...local } = readLocalSide(look, val);
      // A file that is gone by now is a missing one.
      if (here !== undefined) files.push({ ...local, here });
    } catch (error) {
      if (!(error instanceof LocalError)) throw error;
      errors.push(error);
    }
  }
  return { files, errors };
}

function firstError(
  { say }: Context,
  problem: UsageError | undefined,
  errors: readonly ValsError[],
): ValsError | undefined {
  const all = new Map(
    [...(problem === undefined ? [] : [problem]), ...errors].map((each) => [each.message, each]),
  );
  const [first, ...others] = all.values();
  for (const error of others) say({ kind: 'warning', text: messageWithHint(error) });
  return first;
}

export function notInThisWorkspace({ workspace, names }: Look, word: string): NotFoundError {
  const known = [...names].flatMap(([file, name]) => [name ?? '', pathTo(workspace, file)]);
  const list = { text: 'To list the vals of the workspace', command: 'status' };
  return new NotFoundError(`The workspace has no val "${word}".${didYouMean(word, known)}`, {
    hint: isTypedInside(workspace) ? list : [`Go to the folder ${pathTo(workspace, '.')}.`, list],
  });
}
