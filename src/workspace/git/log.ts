// Reads what `git log --raw -z` prints, piece by piece.

/** The format that the parser expects: a commit and its parents, then its changes. */
export const logFormat = '--format=%H %P';

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

export interface LogParser {
  /** Returns the commits that are complete: each ends where the next one begins. */
  push(text: string): LoggedCommit[];
  /** Returns the last commit. */
  end(): LoggedCommit[];
}

export function createLogParser(): LogParser {
  let rest = '';
  let commit: LoggedCommit | undefined;
  let change: string[] = [];
  let missingPaths = 0;

  function addToCommit(token: string): void {
    change.push(token);
    missingPaths = missingPaths === 0 ? pathsOf(token) : missingPaths - 1;
    if (missingPaths > 0) return;
    commit?.changes.push(changeOf(change));
    change = [];
  }

  return {
    push(text) {
      const tokens = (rest + text).split('\0');
      rest = tokens.pop() ?? '';
      const complete: LoggedCommit[] = [];
      for (const token of tokens) {
        if (missingPaths > 0 || isChange(token)) addToCommit(token);
        else {
          if (commit !== undefined) complete.push(commit);
          commit = commitOf(token);
        }
      }
      return complete;
    },
    end: () => (commit === undefined ? [] : [commit]),
  };
}

/** The output of `git diff --raw -z` is that of one commit without its first line. */
export function changesIn(diff: string): LoggedChange[] {
  const parser = createLogParser();
  parser.push(`diff\0${diff}`);
  return parser.end().flatMap(({ changes }) => changes);
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
