// Which codes HEAD's history has of each file, deleted files included.
import { posix } from 'node:path';
import { readCommits } from './commits.ts';
import type { Repository } from './repository.ts';
import { type GitFailure, runGit } from './start-git.ts';

export interface PastFiles {
  /** By the paths below the workspace, the ids of the codes that the commits brought or took away. */
  codes: ReadonlyMap<string, ReadonlySet<string>>;
  /** The files of HEAD by the ids of their codes, of other workspaces, too: a path outside of this one begins with ../ */
  inHead: ReadonlyMap<string, readonly string[]>;
  failure: GitFailure | undefined;
}

/** `most` is how many commits are read. Undefined means all. */
export async function readPastFiles(repository: Repository, most: number | undefined): Promise<PastFiles> {
  const { prefix } = repository;
  const codes = new Map<string, Set<string>>();
  const add = (path: string, blob: string) => codes.set(path, (codes.get(path) ?? new Set()).add(blob));
  const inHead = new Map<string, string[]>();
  // For example `100644 blob <id><TAB><path>`.
  const { printed } = await runGit(repository, ['ls-tree', '-r', '-z', '--full-tree', 'HEAD']);
  for (const line of printed.split('\0').slice(0, -1)) {
    const [facts = '', path = ''] = line.split('\t', 2);
    const blob = facts.split(' ')[2] ?? '';
    const below = posix.relative(`/${prefix}`, `/${path}`);
    inHead.set(blob, [...(inHead.get(blob) ?? []), below]);
    if (path.startsWith(prefix)) add(below, blob);
  }
  const limit = most === undefined ? [] : [`--max-count=${most}`];
  const failure = await readCommits(repository, ['--no-renames', ...limit], ({ changes }) => {
    for (const { path, blob, oldBlob } of changes) {
      if (!path.startsWith(prefix)) continue;
      for (const id of [blob, oldBlob]) add(path.slice(prefix.length), id);
    }
    return true;
  });
  return { codes, inHead, failure };
}
