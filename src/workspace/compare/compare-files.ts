// Compares files with their vals, all that differ with one look into git's history.
import { createSlots } from '../../core/lib/slots.ts';
import { isSameCode } from '../code.ts';
import type { Repository } from '../git/repository.ts';
import { type CodeNumbers, numberCodes } from './code-numbers.ts';
import { compareHistories } from './compare-histories.ts';
import { fileHistory, isSetSince } from './file-history.ts';
import { type Differing, type GitKnowledge, readGit } from './git-knowledge.ts';
import type { Compared, FileAndVal } from './types.ts';

export interface Surroundings {
  /** Undefined if the workspace is in none. */
  repository: Repository | undefined;
  env: NodeJS.ProcessEnv;
}

/** In the order of the files. Git is not started, and no version is read, for those that are the same on both sides. */
export async function compareFiles(
  files: readonly FileAndVal[],
  surroundings: Surroundings,
): Promise<Compared[]> {
  const differing = files.filter(({ here, there }) => !isSameCode(here, there.code));
  const open = await Promise.all(
    differing.map(async (each) => ({ ...each, known: (await each.versions()).slice(-mostVersions) })),
  );
  const git = await readGit(open, surroundings.repository);
  const slots = createSlots(8);
  const compared = await Promise.all(
    open.map((each) => slots.run(async () => compareFile(await withTexts(each, git), git, surroundings))),
  );
  const results = new Map(differing.map((each, index) => [each, compared[index]]));
  return files.map((each) => results.get(each) ?? { status: 'unchanged' });
}

const mostVersions = 20;

/** If git has codes that none of the versions seems to have, they may differ in line ends alone, which only texts tell. */
async function withTexts(each: Differing, { histories, isLong }: GitKnowledge): Promise<Differing> {
  const brought = histories?.of(each.file).brought ?? [];
  const numbers = numbersOf(each, isLong);
  if (brought.every(({ blob }) => numbers.ofBlob(blob) !== undefined)) return each;
  const inGit = new Set(brought.map(({ blob }) => numbers.ofBlob(blob)));
  const known = await Promise.all(
    each.known.map(async (version) => {
      if (version.code.text !== undefined || inGit.has(numbers.of(version.code))) return version;
      return { ...version, code: (await each.read(version)) ?? version.code };
    }),
  );
  return { ...each, known };
}

const numbersOf = ({ here, known }: Differing, isLong: boolean): CodeNumbers =>
  numberCodes([here, ...known.map(({ code }) => code)], { isLong });

async function compareFile(each: Differing, git: GitKnowledge, { env }: Surroundings): Promise<Compared> {
  const numbers = numbersOf(each, git.isLong);
  const file = fileHistory(each, numbers, git);
  const present = numbers.of(each.there.code);
  const isThereInGit = file.some((code) => code === present);
  const histories = { ...each, numbers, file, isSetSince: isSetSince(each, numbers, git) };
  if (git.limit === undefined || isThereInGit) return compareHistories(histories, env);
  const { fileVersion, restored } = await compareHistories({ ...histories, file: [] }, env);
  return { status: 'conflict', fileVersion, restored, limit: git.limit };
}
