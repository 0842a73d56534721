// What a comparison of a file with its val takes, and what it finds.
import type { Code } from '../code.ts';
import type { GitFailure } from '../git/start-git.ts';

/** What a folder and a service had when they last had the same code of a val. The user's pages call it the record. */
export interface LastSync {
  id: string;
  version: number | undefined;
  /** The id that git gives the service's code as a blob. */
  blob: string;
  /** HEAD's commit then. Undefined without git, and before the first commit. */
  commit: string | undefined;
}

export interface ValVersion {
  version: number | undefined;
  code: Code;
}

/** A file that differs from its val. */
export interface FileAndVal {
  /** The path below the workspace's folder, with slashes. */
  file: string;
  here: Code;
  /** The newest 20 versions, oldest first. The last one is the val as it is now. */
  known: readonly ValVersion[];
  /** Undefined if there is none, or if it is of another val. */
  lastSync: LastSync | undefined;
}

export interface Compared {
  status: 'unchanged' | 'changed here' | 'changed there' | 'conflict';
  /** The newest version that has the file's code, if one of the newest 20 has. */
  fileVersion?: number | undefined;
  /** What a merge of the file with the val begins with. Undefined if both sides never had the same code. */
  base?: Code | undefined;
  /** The version that has the present code, if the service went back to it from another code. */
  restored?: number | undefined;
  /** The version of the last sync, if it is newer than the present one: the service has it no more. */
  deleted?: number | undefined;
  /** Why git could not tell more. Only beside a conflict. */
  limit?: GitLimit | undefined;
  /** The branch has an upstream, so `git pull` may bring what a colleague committed. */
  canPull?: boolean | undefined;
}

/** Why the history of a file is not known, or not to its end. */
export type GitLimit =
  | GitFailure
  /** Add `fetch-depth: 0`. */
  | 'shallow'
  /** Git LFS keeps the code. */
  | 'lfs'
  /** The file in the working tree, too, is a pointer of Git LFS. */
  | 'lfs pointer';
