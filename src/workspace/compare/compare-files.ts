// Compares files with their vals, all that differ with one look into git's history.
import { createSlots } from '../../core/lib/slots.ts';
import { isSameCode } from '../code.ts';
import type { Repository } from '../git/repository.ts';
import { numberCodes } from './code-numbers.ts';
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
    git.files.map((each) => slots.run(() => compareFile(each, git, surroundings))),
  );
  const results = new Map(differing.map((each, index) => [each, compared[index]]));
  return files.map((each) => results.get(each) ?? { status: 'unchanged' });
}

const mostVersions = 20;

async function compareFile(
  each: Differing,
  git: GitKnowledge<Differing>,
  { env }: Surroundings,
): Promise<Compared> {
  const numbers = numberCodes([each.here, ...each.known.map(({ code }) => code)], git);
  const brought = git.broughtTo(each);
  const file = fileHistory(each, numbers, brought);
  const present = numbers.of(each.there.code);
  const isThereInGit = file.some((code) => code === present);
  const histories = { ...each, numbers, file, isSetSince: isSetSince(each, numbers, brought) };
  if (git.limit === undefined || isThereInGit) return compareHistories(histories, env);
  const { fileVersion, restored } = await compareHistories({ ...histories, file: [] }, env);
  return { status: 'conflict', fileVersion, restored, limit: git.limit };
}
