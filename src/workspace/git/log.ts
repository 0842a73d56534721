// Reads what `git log --raw -z` prints.
import type { GitFailure, GitOutput, GitProgram } from './program.ts';

export interface LoggedChange {
  status: string;
  oldBlob: string;
  newBlob: string;
  path: string;
  /** Where a renamed file was. */
  from: string | undefined;
}

export interface LoggedCommit {
  id: string;
  parents: string[];
  changes: LoggedChange[];
}

/** The commits of HEAD, newest first, as many at a time as git prints, and the reason if git failed. */
export type LoggedCommits = AsyncGenerator<LoggedCommit[], GitFailure | undefined>;

/** The user's settings must neither change the output nor make git run another program. */
const plainDiff = [
  ...['--raw', '--no-abbrev', '-z', '--no-color', '--no-relative', '--no-ext-diff', '--no-textconv'],
  ...['--ignore-submodules=all', '-O/dev/null'],
];

/** A partial clone may lack the codes that show whether a file was renamed and changed. */
const similar = '-M';
const equal = '-M100%';

export async function* readCommits(git: GitProgram): LoggedCommits {
  let count = 0;
  const log = (renames: string) => {
    const args = ['-c', 'log.showRoot=true', 'log', '--format=%H %P', '--no-show-signature', ...plainDiff];
    const range = ['--diff-merges=first-parent', `--skip=${count}`, 'HEAD', '--'];
    return commitsIn(git.start([...args, renames, ...range]));
  };
  let commits = log(similar);
  for (let isComplete = true; ; ) {
    const { done, value } = await commits.next();
    if (!done) {
      count += value.length;
      yield isComplete ? value : value.map(withoutDoubtfulDeletions);
    } else if (value === 'failed' && isComplete) {
      isComplete = false;
      commits = log(equal);
    } else return value;
  }
}

/** What looks deleted may be one of the added files, renamed and changed. */
function withoutDoubtfulDeletions(commit: LoggedCommit): LoggedCommit {
  if (!commit.changes.some(({ status }) => status === 'A')) return commit;
  const changes = commit.changes.map((change) =>
    change.status === 'D' ? { ...change, status: 'unknown' } : change,
  );
  return { ...commit, changes };
}

/** What the index changes, with the path in HEAD of each file that it renames. */
export async function readStagedRenames(git: GitProgram): Promise<ReadonlyMap<string, string | undefined>> {
  const diff = (renames: string) => git.run(['diff-index', '--cached', ...plainDiff, renames, 'HEAD', '--']);
  const first = await diff(similar);
  const { printed } = first.failure === 'failed' ? await diff(equal) : first;
  const tokens = printed.split('\0').slice(0, -1);
  const renames = new Map<string, string | undefined>();
  while (tokens.length > 0) {
    const { path, from } = changeOf(tokens.splice(0, 1 + pathsOf(tokens[0] ?? '')));
    renames.set(path, from);
  }
  return renames;
}

/** A commit is complete where the next one begins. The last one counts only if git did not fail. */
async function* commitsIn(output: GitOutput): LoggedCommits {
  let rest = '';
  let commit: LoggedCommit | undefined;
  let change: string[] = [];
  let missingPaths = 0;
  for (;;) {
    const { done, value } = await output.next();
    if (done) {
      if (value === undefined && commit !== undefined) yield [commit];
      return value;
    }
    const complete: LoggedCommit[] = [];
    const tokens = (rest + value).split('\0');
    rest = tokens.pop() ?? '';
    for (const token of tokens) {
      if (missingPaths === 0 && !isChange(token)) {
        if (commit !== undefined) complete.push(commit);
        commit = commitOf(token);
        continue;
      }
      change.push(token);
      missingPaths = missingPaths === 0 ? pathsOf(token) : missingPaths - 1;
      if (missingPaths > 0) continue;
      commit?.changes.push(changeOf(change));
      change = [];
    }
    yield complete;
  }
}

/** git prints a line end before the first change of a commit. */
const isChange = (token: string): boolean => token.startsWith(':') || token.startsWith('\n:');

const pathsOf = (token: string): number => (/ R\d+$/.test(token) ? 2 : 1);

function commitOf(token: string): LoggedCommit {
  const [id = '', ...parents] = token.trim().split(' ');
  return { id, parents, changes: [] };
}

/** For example `:100644 100644 <old blob> <new blob> R098`, then the old and the new path. */
function changeOf([facts = '', first = '', second]: string[]): LoggedChange {
  const [, , oldBlob = '', newBlob = '', status = ''] = facts.split(' ');
  return second === undefined
    ? { status, oldBlob, newBlob, path: first, from: undefined }
    : { status, oldBlob, newBlob, path: second, from: first };
}
