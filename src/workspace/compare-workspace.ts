// Compares the files of a workspace with the service, for `status`, `diff` and `pull`.
import type { Run } from '../core/command-line/command.ts';
import { createResolver } from '../core/command-line/resolve-vals.ts';
import {
  LocalError,
  messageWithHint,
  NotFoundError,
  type UsageError,
  undefinedIf,
  ValsError,
} from '../core/errors.ts';
import { didYouMean } from '../core/lib/suggest.ts';
import { type Examined, type FileToExamine, type MissingVal, readLocalSide } from './examine.ts';
import { examineAll } from './examine-all.ts';
import { closeLook, type Look, openLook } from './look.ts';
import { examineMissing } from './missing.ts';
import { isBelow, type LocalVal, namedVals, workspaceOfWords } from './select.ts';
import { isTypedInside, nameOfService, pathTo } from './workspace.ts';
import { createWorkspaces } from './workspaces.ts';

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
  run: Run,
  options: CompareOptions,
  use: (compared: ComparedVals) => Promise<Result>,
): Promise<Result> {
  const workspace = workspaceOfWords(createWorkspaces(run), options.words);
  run.out.say({ kind: 'progress', text: `Comparing with ${nameOfService(workspace.service)}` });
  const look = await openLook(run, workspace, await run.api());
  try {
    return await use(await compareFiles(run, look, options));
  } finally {
    await closeLook(look);
  }
}

export async function compareFiles(
  run: Run,
  look: Look,
  { words, findsMissing }: CompareOptions,
): Promise<ComparedVals> {
  const { workspace } = look;
  const { vals: named, problem } = namedVals(workspace, look.names);
  const { chosen, unknown } = await chooseByWords(run, look, named, words);
  const { files, errors } = readAll(look, chosen);
  const { results } = await examineAll(run, look, files);
  const failed = results.find((result) => result instanceof ValsError);
  if (failed !== undefined) throw failed;
  const vals = results.filter((result): result is Examined => !(result instanceof ValsError));
  const needsMissing = findsMissing && (words.length === 0 || unknown.size > 0);
  const { missing } = needsMissing ? await examineMissing(look, vals, { isPrune: false }) : { missing: [] };
  const isMeantBy =
    ([word, id]: [string, string | undefined]) =>
    (val: MissingVal) =>
      word === val.name || isBelow(workspace, [word], val.file) || val.there.id === id;
  const wanted = missing.filter(
    (val) => words.length === 0 || [...unknown].some((word) => isMeantBy(word)(val)),
  );
  const stillUnknown = [...unknown].flatMap((word) => (wanted.some(isMeantBy(word)) ? [] : word[0]));
  const all = [...vals, ...wanted].sort((a, b) => (a.file < b.file ? -1 : 1));
  return { look, vals: all, unknown: stillUnknown, error: firstError(run, problem, errors) };
}

/** `unknown` maps each word that no file fits to the id of its val, or to undefined if there is no such val. */
async function chooseByWords(
  run: Run,
  look: Look,
  named: readonly LocalVal[],
  words: readonly string[],
): Promise<{ chosen: readonly LocalVal[]; unknown: Map<string, string | undefined> }> {
  if (words.length === 0) return { chosen: named, unknown: new Map() };
  const identify = await createResolver(run);
  const chosen: LocalVal[] = [];
  const unknown = new Map<string, string | undefined>();
  for (const word of new Set(words)) {
    const fitting = named.filter(({ file, name }) => name === word || isBelow(look.workspace, [word], file));
    chosen.push(...fitting);
    if (fitting.length > 0) continue;
    const val = await identify(word).catch(undefinedIf(NotFoundError));
    const withId = val === undefined ? [] : await valsWithId(look, named, val.id);
    chosen.push(...withId);
    if (withId.length === 0) unknown.set(word, val?.id);
  }
  return { chosen: [...new Set(chosen)], unknown };
}

async function valsWithId(
  { workspace, remotes }: Look,
  named: readonly LocalVal[],
  id: string,
): Promise<LocalVal[]> {
  const there = await remotes.mineWithId(id, undefined);
  return named.filter(({ name }) => name === there?.name || workspace.records.of(name)?.id === id);
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
  { out: { say } }: Run,
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
