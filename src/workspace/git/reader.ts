// Asks git, and reads no more of its answers than somebody wants to know.
import { posix } from 'node:path';
import { once } from '../../lib/once.ts';
import { createGitFacts, type GitFacts } from './facts.ts';
import { changesIn, createLogParser, type LoggedCommit, logFormat } from './log.ts';
import type { GitFailure, GitProgram } from './program.ts';

/** All paths are relative to the top of the repository. */
export interface GitReader {
  /** The files of HEAD in the workspace, with their blobs. */
  head(): Promise<ReadonlyMap<string, string>>;
  /** Reads the history until something is found, or to its end. */
  find<Found>(look: (facts: GitFacts) => Found | undefined): Promise<Found | undefined>;
  /** Reads the history to its end. */
  all(): Promise<GitFacts>;
  /** What was read by now. */
  soFar(): Promise<GitFacts>;
  /** What the index changes, with the path in HEAD of each file that it renames. */
  stagedRenames(): Promise<ReadonlyMap<string, string | undefined>>;
  isShallow(): Promise<boolean>;
  failure(): GitFailure | undefined;
}

/** The user's settings must neither change the output nor make git run another program. */
const plainDiff = [
  ...['--raw', '--no-abbrev', '-z', '--no-color', '--no-relative', '--no-ext-diff', '--no-textconv'],
  ...['--ignore-submodules=all', '-O/dev/null'],
];

/** A partial clone may lack the codes that show whether a file was renamed and changed. */
const similar = '-M';
const equal = '-M100%';

/** `prefix` is the path of the workspace's folder. */
export function createGitReader(git: GitProgram, prefix: string): GitReader {
  let failure: GitFailure | undefined;

  const head = once(async () => {
    const tree = await git.run(['ls-tree', '-r', '-z', 'HEAD']);
    failure = tree.failure;
    return failure === undefined ? filesOf(tree.printed, prefix) : new Map<string, string>();
  });

  const history = once(async () => {
    const facts = createGitFacts(await head());
    return { facts, readPiece: sharing(readHistory(git, facts)) };
  });

  const staged = once(async () => {
    const diff = (renames: string) =>
      git.run(['diff-index', '--cached', ...plainDiff, renames, 'HEAD', '--']);
    const first = await diff(similar);
    const { printed } = first.failure === 'failed' ? await diff(equal) : first;
    return new Map(changesIn(printed).map(({ path, from }) => [path, from]));
  });

  async function find<Found>(look: (facts: GitFacts) => Found | undefined): Promise<Found | undefined> {
    const { facts, readPiece } = await history();
    for (;;) {
      const found = look(facts);
      if (found !== undefined || failure !== undefined) return found;
      const piece = await readPiece();
      if (!piece.done) continue;
      failure ??= piece.value;
      return look(facts);
    }
  }

  return {
    head,
    find,
    async all() {
      await find(() => undefined);
      return (await history()).facts;
    },
    soFar: async () => (await history()).facts,
    stagedRenames: staged,
    isShallow: once(async () => {
      const { printed } = await git.run(['rev-parse', '--is-shallow-repository']);
      return printed.trim() === 'true';
    }),
    failure: () => failure,
  };
}

/** The lines of `git ls-tree` are `100644 blob <id><TAB><path>`. */
function filesOf(tree: string, prefix: string): Map<string, string> {
  const lines = tree.split('\0').slice(0, -1);
  return new Map(
    lines.map((line) => {
      const tab = line.indexOf('\t');
      return [posix.join(prefix, line.slice(tab + 1)), line.slice(line.lastIndexOf(' ', tab) + 1, tab)];
    }),
  );
}

type Pieces = AsyncGenerator<undefined, GitFailure | undefined>;

/** All who ask at the same time wait for the same piece. */
function sharing(pieces: Pieces): () => ReturnType<Pieces['next']> {
  let next: ReturnType<Pieces['next']> | undefined;
  return () => {
    next ??= pieces.next().finally(() => {
      next = undefined;
    });
    return next;
  };
}

async function* readHistory(git: GitProgram, facts: GitFacts): Pieces {
  const failure = yield* readLog(git, facts, similar);
  return failure === 'failed' ? yield* readLog(git, facts, equal) : failure;
}

async function* readLog(git: GitProgram, facts: GitFacts, renames: string): Pieces {
  const parser = createLogParser();
  const learn = (commit: LoggedCommit) =>
    facts.learn(renames === equal ? withoutDoubtfulDeletions(commit) : commit);
  const log = ['-c', 'log.showRoot=true', 'log', logFormat, '--no-show-signature', ...plainDiff, renames];
  const output = git.start([...log, '--diff-merges=first-parent', `--skip=${facts.count()}`, 'HEAD', '--']);
  for (let text = await output.next(); text !== undefined; text = await output.next()) {
    for (const commit of parser.push(text)) learn(commit);
    yield undefined;
  }
  const failure = await output.failure();
  if (failure === undefined) for (const commit of parser.end()) learn(commit);
  return failure;
}

/** What looks deleted may be one of the added files, renamed and changed. */
function withoutDoubtfulDeletions(commit: LoggedCommit): LoggedCommit {
  if (!commit.changes.some(({ status }) => status === 'A')) return commit;
  const changes = commit.changes.map((change) =>
    change.status === 'D' ? { ...change, status: 'unknown' } : change,
  );
  return { ...commit, changes };
}
