// Which codes git's history has of the files that differ from their vals.
import { type Code, type CodeHash, idsOf } from '../code.ts';
import { type CommittedCode, type Ids, readFileHistories } from '../git/file-histories.ts';
import { findBlobs, type Repository } from '../git/repository.ts';
import type { FileAndCode, GitLimit, Pair } from './types.ts';

interface CommittedCodes {
  /** The codes that a file had, oldest first. */
  of(file: FileAndCode): readonly CommittedCode[];
  /** Why they may lack the beginning. */
  limit: GitLimit | undefined;
}

/** `pairs` have the texts of versions whose hashes do not tell whether git has them. */
export async function readCommittedCodes(
  files: readonly Pair[],
  repository: Repository | undefined,
): Promise<CommittedCodes & { pairs: readonly Pair[] }> {
  if (repository === undefined || files.length === 0)
    return { of: lastSyncedCode, pairs: files, limit: undefined };
  const { commit, failure } = await repository.head();
  if (commit === undefined) return { of: lastSyncedCode, pairs: files, limit: failure };
  const inGit = await findBlobs(repository, idsIn(files));
  const has = ({ blob }: Code | CodeHash) => inGit?.has(blob) === true;
  const pairs = await Promise.all(
    files.map((pair) =>
      pair.versions.some(({ code }) => has(code)) ? pair : readTexts(pair, { isLong: commit.length > 40 }),
    ),
  );
  const more = await findBlobs(repository, idsIn(pairs.filter((pair) => !files.includes(pair))));
  // Codes that git never had need no search of the history.
  const isInGit = (ids: Ids) =>
    inGit === undefined || [...ids].some((id) => inGit.has(id) || more?.has(id) === true);
  const wanted = pairs.map((pair) => ({ ...pair, codes: codesOf(pair).filter(isInGit) }));
  return { ...(await readHistories(wanted, repository)), pairs };
}

/**
 * Git's history here is too short to tell what these files are to their vals, so that no older version need be read. Those that
 * are not in the answer can be told, perhaps.
 */
export async function findBeyondHistory<Each extends FileAndCode>(
  files: readonly Each[],
  repository: Repository | undefined,
): Promise<Map<Each, GitLimit>> {
  if (repository === undefined || files.length === 0) return new Map();
  const { commit, failure } = await repository.head();
  if (!repository.isShallow && failure === undefined) return new Map();
  const wanted = files.map((each) => ({ ...each, codes: [new Set(idsOf(each.there))] }));
  const { of, limit } =
    commit === undefined ? { of: lastSyncedCode, limit: failure } : await readHistories(wanted, repository);
  if (limit === undefined) return new Map();
  const hasThere = (each: Each) => of(each).some(({ blob }) => idsOf(each.there).includes(blob));
  return new Map(files.flatMap((each) => (hasThere(each) ? [] : [[each, limit]])));
}

/** Without git, and before its first commit, a file had what it had in common with the service. */
const lastSyncedCode = ({ lastSync }: FileAndCode): CommittedCode[] =>
  lastSync === undefined || lastSync.commit !== undefined
    ? []
    : [{ blob: lastSync.blob, writtenAt: undefined }];

async function readHistories(
  wanted: readonly (FileAndCode & { codes: readonly Ids[] })[],
  repository: Repository,
): Promise<CommittedCodes> {
  const histories = await readFileHistories(repository, wanted);
  return {
    of: (each) => [...lastSyncedCode(each), ...histories.of(each.file)],
    limit: histories.failure ?? (repository.isShallow ? 'shallow' : undefined),
  };
}

/**
 * Git has none of the codes by the hashes of the service: it may have them with other line ends, which only the texts tell. If
 * the present code has usual line ends, it stands for all. With `isLong`, git's ids are SHA-256, which no hash of a service is.
 */
async function readTexts(pair: Pair, { isLong }: { isLong: boolean }): Promise<Pair> {
  const now = pair.versions.at(-1);
  const present = now && (await pair.read(now));
  const isToldByOne = !isLong && present?.lineEnds === '\n';
  const versions = pair.versions.map(async (version) => {
    const code = version === now ? present : isToldByOne ? undefined : await pair.read(version);
    return { ...version, code: code ?? version.code };
  });
  return { ...pair, versions: await Promise.all(versions) };
}

const idsIn = (files: readonly Pair[]): Set<string> =>
  new Set(files.flatMap((pair) => codesOf(pair).flatMap((ids) => [...ids])));

/** The ids that git may have given the codes of the versions, oldest first. */
function codesOf({ here, versions }: Pair): Ids[] {
  const codes = versions.map(({ code }) => code);
  const numbers = numberCodes([here, ...codes]);
  const ids = new Map<number | undefined, Set<string>>();
  for (const [id, number] of numbers) ids.set(number, (ids.get(number) ?? new Set()).add(id));
  return codes
    .map(({ blob }) => numbers.get(blob))
    .filter((number, at, all) => number !== all[at - 1])
    .map((number) => ids.get(number) ?? new Set());
}

/** Each code has one number, whatever its line ends are. By the ids that git may have given it. */
export function numberCodes(codes: readonly (Code | CodeHash)[]): Map<string, number> {
  const numbers = new Map<string, number>();
  // Those with a text come first, because they tell the ids with either line ends.
  const inOrder = [...codes].sort((a, b) => Number(a.text === undefined) - Number(b.text === undefined));
  inOrder.forEach((code, index) => {
    const ids = idsOf(code);
    const number = ids.map((id) => numbers.get(id)).find((versions) => versions !== undefined) ?? index;
    for (const id of ids) numbers.set(id, number);
  });
  return numbers;
}
