// What git knows: which codes the history of HEAD has, and what became of files.
import { existsSync } from 'node:fs';
import { join, posix, relative } from 'node:path';
import { gitFolderOf } from '../core/files/git-folder.ts';
import { repositoryOf } from '../core/files/root.ts';
import { blobId } from '../core/lib/blob-id.ts';
import { type Clock, systemClock } from '../core/lib/clock.ts';
import { withPlainLineEnds } from '../core/lib/line-ends.ts';
import { once } from '../core/lib/once.ts';
import { realPath, withSlashes } from '../core/lib/paths.ts';
import type { Code } from './code.ts';
import { createGitFacts, type GitFacts } from './git/facts.ts';
import { readCommits, readStagedRenames } from './git/log.ts';
import { createGitProgram, type GitFailure } from './git/program.ts';

/** Paths are relative to the workspace's folder. One outside of it begins with ../ */
export interface GitHistory {
  /** The newest commit that has the code: 0 is HEAD, larger is older. Undefined if git does not have it. */
  newestPlaceOf(code: Code): Promise<number | undefined>;
  /** The newest place in what was read by now. */
  placeSoFar(code: Code): Promise<number | undefined>;
  /** The oldest commit that has the code. Reads the history to its end. */
  oldestPlaceOf(code: Code): Promise<number | undefined>;
  /** The newest of a file's earlier paths that is wanted, as the index and the history have them. */
  renamedFrom(file: string, isWanted: (path: string) => boolean): Promise<string | undefined>;
  /**
   * The files that HEAD no longer has, or that the index moves away, with the path outside of the workspace that git moved
   * them to. Reads the history to its end.
   */
  goneFiles(): Promise<ReadonlyMap<string, string | undefined>>;
  /** Why git may not know everything. */
  limit(): Promise<GitLimit | undefined>;
  /** Ends git, if it is still running. */
  close(): Promise<void>;
}

export type GitLimit = GitFailure | 'shallow';

export interface GitHistoryOptions {
  env: NodeJS.ProcessEnv;
  signal: AbortSignal;
  clock: Clock;
}

/** Undefined if the folder is in no repository. The first question starts git. */
export function openGitHistory(root: string, options: GitHistoryOptions): GitHistory | undefined {
  const folder = realPath(root);
  const top = repositoryOf(folder);
  if (top === undefined) return undefined;
  const git = createGitProgram({ ...options, folder, top });
  const prefix = withSlashes(relative(top, folder));
  const fromRoot = (path: string): string => posix.relative(`/${prefix}`, `/${path}`);
  let failure: GitFailure | undefined;

  /** The files of HEAD in the workspace, with their codes. Here and below, paths are relative to the top. */
  const head = once(async () => {
    const tree = await git.run(['ls-tree', '-r', '-z', 'HEAD']);
    failure = tree.failure;
    return failure === undefined ? filesOf(tree.printed, prefix) : new Map<string, string>();
  });
  const facts = once(async () => createGitFacts(await head()));
  const stagedRenames = once(() => readStagedRenames(git));
  const commits = readCommits(git);
  /** Returns false at the end of the history. */
  const readOn = sharing(async () => {
    const { done, value } = await commits.next();
    if (done) {
      failure ??= value;
      return false;
    }
    const known = await facts();
    for (const commit of value) known.learn(commit);
    return true;
  });

  /** Reads the history until something is found, or to its end. */
  async function find<Found>(look: (known: GitFacts) => Found | undefined): Promise<Found | undefined> {
    const known = await facts();
    for (;;) {
      const found = look(known);
      if (found !== undefined || failure !== undefined) return found;
      if (!(await readOn())) return look(known);
    }
  }

  async function readAll(): Promise<GitFacts> {
    await find(() => undefined);
    return facts();
  }

  async function earlierPath(file: string, isWanted: (path: string) => boolean): Promise<string | undefined> {
    let path = file;
    let place = -1;
    if (!(await head()).has(path)) {
      const staged = (await stagedRenames()).get(path);
      if (staged === undefined || isWanted(staged)) return staged;
      path = staged;
    }
    for (;;) {
      const origin = await find((known) => known.originAfter(place, path));
      if (origin?.from === undefined || isWanted(origin.from)) return origin?.from;
      ({ from: path, place } = origin);
    }
  }

  return {
    newestPlaceOf: (code) => {
      const ids = idsOf(code);
      return find((known) => newestOf(known, ids));
    },
    placeSoFar: async (code) => newestOf(await facts(), idsOf(code)),
    async oldestPlaceOf(code) {
      const known = await readAll();
      const places = idsOf(code).flatMap((id) => known.oldestPlace(id) ?? []);
      return places.length === 0 ? undefined : Math.max(...places);
    },
    async renamedFrom(file, isWanted) {
      const path = await earlierPath(posix.join(prefix, file), (earlier) => isWanted(fromRoot(earlier)));
      return path === undefined ? undefined : fromRoot(path);
    },
    async goneFiles() {
      const gone = new Map<string, string | undefined>();
      for (const [path, now] of (await readAll()).newPaths()) {
        const file = fromRoot(path);
        if ((await head()).has(path) || isOutside(file)) continue;
        gone.set(file, now === undefined ? undefined : ifOutside(fromRoot(now)));
      }
      for (const [path, from] of await stagedRenames()) {
        const to = fromRoot(path);
        if (from !== undefined && isOutside(to)) gone.set(fromRoot(from), to);
      }
      return gone;
    },
    async limit() {
      await head();
      return failure ?? (isShallow(top) ? 'shallow' : undefined);
    },
    close: () => git.close(),
  };
}

function newestOf(facts: GitFacts, ids: readonly string[]): number | undefined {
  const places = ids.flatMap((id) => facts.newestPlace(id) ?? []);
  return places.length === 0 ? undefined : Math.min(...places);
}

/** The ids that git may have given the code. Some repositories have ids of SHA-256, which only the text tells. */
function idsOf({ blob, lines = blob, text }: Code): string[] {
  if (text === undefined) return [blob, lines];
  const long = [text, withPlainLineEnds(text)].map((form) => blobId(Buffer.from(form), 'sha256'));
  return [blob, lines, ...long];
}

const isOutside = (path: string): boolean => path.startsWith('../');
const ifOutside = (path: string): string | undefined => (isOutside(path) ? path : undefined);

function isShallow(top: string): boolean {
  const folder = gitFolderOf(top);
  return folder !== undefined && existsSync(join(folder.common, 'shallow'));
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

/** All who ask at the same time wait for the same answer. */
function sharing<Answer>(ask: () => Promise<Answer>): () => Promise<Answer> {
  let asked: Promise<Answer> | undefined;
  return () => {
    asked ??= ask().finally(() => {
      asked = undefined;
    });
    return asked;
  };
}

/** Whether the index or the history of HEAD has the path. */
export async function isKnownToGit(root: string, file: string, env: NodeJS.ProcessEnv): Promise<boolean> {
  const folder = realPath(root);
  const top = repositoryOf(folder);
  if (top === undefined) return false;
  const { signal } = new AbortController();
  const git = createGitProgram({ folder, top, env, signal, clock: systemClock });
  const prints = async (...args: string[]) =>
    (await git.run(['--literal-pathspecs', ...args, '--', file])).printed !== '';
  return (await prints('ls-files', '-z')) || (await prints('rev-list', '-1', '--full-history', 'HEAD'));
}
