// What git knows: which codes the history of HEAD has, and what became of files.
import { posix, relative } from 'node:path';
import { blobId } from '../lib/blob-id.ts';
import { type Clock, systemClock } from '../lib/clock.ts';
import { realPath, withSlashes } from '../lib/paths.ts';
import { repositoryOf } from './disk/root.ts';
import type { GitFacts, GoneFile } from './git/facts.ts';
import { createGitProgram, type GitFailure } from './git/program.ts';
import { createGitReader, type GitReader } from './git/reader.ts';
import { type Code, withPlainLineEnds } from './text/code.ts';

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
  /** What became of the files that HEAD no longer has, or that the index moves away. Reads the history to its end. */
  goneFiles(): Promise<ReadonlyMap<string, GoneFile>>;
  /** Why git may not know everything. */
  limit(): Promise<GitLimit | undefined>;
  /** Ends git, if it is still running. */
  close(): Promise<void>;
}

export type { GoneFile };
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
  const reader = createGitReader(git, prefix);
  const fromRoot = (path: string): string => posix.relative(`/${prefix}`, `/${path}`);
  return {
    newestPlaceOf: (code) => newestPlaceOf(reader, code),
    placeSoFar: async (code) => newestIn(await reader.soFar(), code),
    oldestPlaceOf: (code) => oldestPlaceOf(reader, code),
    async renamedFrom(file, isWanted) {
      const path = await earlierPath(reader, posix.join(prefix, file), (earlier) =>
        isWanted(fromRoot(earlier)),
      );
      return path === undefined ? undefined : fromRoot(path);
    },
    goneFiles: () => goneFiles(reader, fromRoot),
    async limit() {
      await reader.head();
      return reader.failure() ?? ((await reader.isShallow()) ? 'shallow' : undefined);
    },
    close: () => git.close(),
  };
}

async function newestPlaceOf(reader: GitReader, code: Code): Promise<number | undefined> {
  return reader.find((facts) => newestIn(facts, code));
}

function newestIn(facts: GitFacts, code: Code): number | undefined {
  const places = idsOf(code).flatMap((id) => facts.newestPlace(id) ?? []);
  return places.length === 0 ? undefined : Math.min(...places);
}

async function oldestPlaceOf(reader: GitReader, code: Code): Promise<number | undefined> {
  const facts = await reader.all();
  const places = idsOf(code).flatMap((id) => facts.oldestPlace(id) ?? []);
  return places.length === 0 ? undefined : Math.max(...places);
}

/** The ids that git may have given the code. Some repositories have ids of SHA-256, which only the text tells. */
function idsOf({ blob, lines = blob, text }: Code): string[] {
  if (text === undefined) return [blob, lines];
  const long = [text, withPlainLineEnds(text)].map((form) => blobId(Buffer.from(form), 'sha256'));
  return [blob, lines, ...long];
}

async function earlierPath(
  reader: GitReader,
  file: string,
  isWanted: (path: string) => boolean,
): Promise<string | undefined> {
  let path = file;
  let place = -1;
  if (!(await reader.head()).has(path)) {
    const staged = (await reader.stagedRenames()).get(path);
    if (staged === undefined || isWanted(staged)) return staged;
    path = staged;
  }
  for (;;) {
    const origin = await reader.find((facts) => facts.originAfter(place, path));
    if (origin?.from === undefined || isWanted(origin.from)) return origin?.from;
    ({ from: path, place } = origin);
  }
}

async function goneFiles(
  reader: GitReader,
  fromRoot: (path: string) => string,
): Promise<ReadonlyMap<string, GoneFile>> {
  const head = await reader.head();
  const gone = new Map<string, GoneFile>();
  for (const [path, fate] of (await reader.all()).fates()) {
    const file = fromRoot(path);
    if (head.has(path) || isOutside(file)) continue;
    // A merge can leave out what one of its branches has.
    const isThere = fate.kind === 'renamed' && (head.has(fate.to) || isOutside(fromRoot(fate.to)));
    gone.set(file, isThere ? { kind: 'renamed', to: fromRoot(fate.to) } : { kind: 'deleted' });
  }
  for (const [path, from = ''] of await reader.stagedRenames()) {
    const to = fromRoot(path);
    if (from !== '' && isOutside(to)) gone.set(fromRoot(from), { kind: 'renamed', to });
  }
  return gone;
}

const isOutside = (path: string): boolean => path.startsWith('../');

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
