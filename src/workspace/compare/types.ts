// A pair of a file and its val is compared. The comparison says which side is newer, or why neither is.
import type { Code, CodeHash } from '../code.ts';
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
  code: Code | CodeHash;
  madeAt?: string | undefined;
}

/** A file, and the code of its val, which is another one. */
export interface FileAndCode {
  /** The path below the workspace's folder, with slashes. */
  file: string;
  here: Code;
  there: Code | CodeHash;
  /** Undefined if there is none, or if it is of another val. */
  lastSync: LastSync | undefined;
}

/** A file and its val, with what the val had before. */
export interface Pair extends FileAndCode {
  /** The newest 20 versions, oldest first. The last one is the val as it is now. */
  versions: readonly ValVersion[];
  /** The code of a version. Undefined if the version is gone by now. */
  read(version: ValVersion): Promise<Code | undefined>;
}

export interface Comparison {
  state: 'unchanged' | 'changed here' | 'changed there' | 'conflict';
  /** Of a conflict. */
  reason?: CompareReason;
  /** The newest version that has the file's code, if one of the newest 20 has. */
  fileVersion?: number | undefined;
  /** What a merge of the file with the val begins with. Undefined if both sides never had the same code. */
  base?: ValVersion | undefined;
  /** The version that has the present code, if the service went back to it from another code. */
  restored?: number | undefined;
  /** A version that had the file's code, and the one that replaced it. Sent once more: the service tells no times. */
  resent?: { version: number | undefined; replacedBy: number | undefined };
  /** The branch has an upstream, so `git pull` may bring what a colleague committed. */
  canPull?: boolean;
}

/** Why neither side is newer. */
export type CompareReason =
  /** Both went on from the code of this version. */
  | { kind: 'both went on'; since: number | undefined }
  | { kind: 'no shared code' }
  /** The val had the file's code, and has another one by now. */
  | { kind: 'older code' }
  /** The service does not have the version of the last sync any more. */
  | { kind: 'version gone'; version: number }
  /** Git might have told more. */
  | { kind: 'git'; limit: GitLimit };

/** Why the history of a file is not known, or not to its end. */
export type GitLimit =
  | GitFailure
  /** Add `fetch-depth: 0`. */
  | 'shallow'
  /** Git LFS keeps the code. */
  | 'lfs';
