// What git knows of all files that differ from their vals.
import { type FileHistories, readFileHistories } from '../git/file-histories.ts';
import type { Repository } from '../git/repository.ts';
import { numberCodes } from './code-numbers.ts';
import type { FileAndVal, GitLimit, ValVersion } from './types.ts';

/** A file that differs from its val, with the versions of the val. */
export interface Differing extends FileAndVal {
  known: readonly ValVersion[];
}

export interface GitKnowledge {
  hasRepository: boolean;
  /** Ids of SHA-256. Then the ids that the service sends say nothing of git's. */
  isLong: boolean;
  /** Undefined without a commit. */
  histories: FileHistories | undefined;
  limit: GitLimit | undefined;
}

export async function readGit(
  files: readonly Differing[],
  repository: Repository | undefined,
): Promise<GitKnowledge> {
  const none = {
    hasRepository: repository !== undefined,
    isLong: false,
    histories: undefined,
  };
  if (repository === undefined || files.length === 0) return { ...none, limit: undefined };
  const { commit, failure } = await repository.head();
  if (commit === undefined) return { ...none, limit: failure };
  const isLong = commit.length > 40;
  const wanted = files.map(({ file, here, known }) => ({
    file,
    codes: numberCodes([here, ...known.map(({ code }) => code)], { isLong }).idsInOrder(known),
  }));
  const histories = await readFileHistories(repository, wanted);
  const limit = histories.failure ?? (repository.isShallow ? 'shallow' : undefined);
  return { hasRepository: true, isLong, histories, limit };
}
