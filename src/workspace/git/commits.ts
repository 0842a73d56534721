// Reads what `git log --raw -z` prints.
import { type GitFailure, type GitPlace, startGit } from './start-git.ts';

interface Change {
  /** `A`, `M`, `D`, `R` or `T`. */
  kind: string;
  /** The id of the file's blob after the change, and before it. */
  blob: string;
  oldBlob: string;
  path: string;
  /** Where a renamed file was. */
  from: string | undefined;
}

export interface Commit {
  /** A merge repeats what its branches did, and its author wrote none of it. */
  isMerge: boolean;
  /** Milliseconds. When it was written, which an amended or a rebased commit keeps. */
  writtenAt: number;
  /** Of files alone. */
  changes: Change[];
}

/** The commits of HEAD, newest first, and the reason if git failed. */
type Commits = AsyncGenerator<Commit, GitFailure | undefined>;

/** Reads the history of HEAD, newest first, until `use` returns false. Returns the reason if git failed. */
export async function readCommits(
  place: GitPlace,
  options: readonly string[],
  use: (commit: Commit) => boolean,
): Promise<GitFailure | undefined> {
  const log = ['-c', 'log.showRoot=true', '-c', 'log.follow=false', 'log'];
  const commits = commitsIn(startGit(place, [...log, '--format=%at %P', ...plain, ...options, 'HEAD', '--']));
  for (;;) {
    const { done, value } = await commits.next();
    if (done) return value;
    if (use(value)) continue;
    await commits.return(undefined);
    return undefined;
  }
}

/** No setting may change the output, or make git run another program. */
const plain = [
  ...['--raw', '--no-abbrev', '-z', '--no-color', '--no-ext-diff', '--no-textconv'],
  ...['--ignore-submodules=all', '-O/dev/null', '--diff-merges=first-parent', '--no-relative'],
];

/** A commit is complete where the next one begins. The last one counts only if git did not fail. */
async function* commitsIn(output: AsyncGenerator<string, GitFailure | undefined>): Commits {
  let rest = '';
  let commit: Commit | undefined;
  let change: string[] = [];
  let missingPaths = 0;
  try {
    for (;;) {
      const { done, value } = await output.next();
      if (done) {
        if (value === undefined && commit !== undefined) yield commit;
        return value;
      }
      const tokens = (rest + value).split('\0');
      rest = tokens.pop() ?? '';
      for (const token of tokens) {
        if (missingPaths === 0 && !isChange(token)) {
          if (commit !== undefined) yield commit;
          commit = commitOf(token);
          continue;
        }
        change.push(token);
        missingPaths = missingPaths === 0 ? pathsOf(token) : missingPaths - 1;
        if (missingPaths > 0) continue;
        commit?.changes.push(...changeOf(change));
        change = [];
      }
    }
  } finally {
    await output.return(undefined);
  }
}

/** git prints a line end before the first change of a commit. */
const isChange = (token: string): boolean => token.startsWith(':') || token.startsWith('\n:');

const pathsOf = (token: string): number => (/ R\d+$/.test(token) ? 2 : 1);

function commitOf(token: string): Commit {
  const [seconds, ...parents] = token.trim().split(' ');
  return { isMerge: parents.length > 1, writtenAt: Number(seconds) * 1_000, changes: [] };
}

/** For example `:100644 100644 <old blob> <new blob> R098`, then the old and the new path. */
function changeOf([facts = '', first = '', second]: string[]): Change[] {
  const [oldMode = '', mode = '', oldBlob = '', blob = '', kind = ''] = facts.trim().slice(1).split(' ');
  // The blob of a link is a path.
  if (!mode.startsWith('100') && !oldMode.startsWith('100')) return [];
  const isFile = mode.startsWith('100');
  const path = second ?? first;
  const from = second === undefined ? undefined : first;
  return [{ kind: isFile ? kind.slice(0, 1) : 'D', blob, oldBlob, path, from }];
}
