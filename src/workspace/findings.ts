// What is found about each file of a workspace and its val.
import type { Compared } from './compare/types.ts';
import type { Local } from './read/local.ts';
import type { Remote, RemoteVal } from './read/remotes.ts';

/** Beside `conflict`: why neither side is simply newer. */
export type Reason =
  | 'both changed'
  | 'marks'
  | 'deleted there'
  | 'renamed there'
  | 'renamed here'
  | 'name taken';

export type NoVal = Exclude<Remote, RemoteVal>;

/** No val of that name, as far as is known. */
interface NewFile {
  status: 'new';
  local: Local;
  remote: NoVal;
}

interface ComparedFile {
  status: 'unchanged' | 'changed here' | 'changed there';
  local: Local;
  remote: RemoteVal;
  compared: Compared;
}

export interface Conflict {
  status: 'conflict';
  reason: Reason;
  local: Local;
  /** With another name than the file's if either side renamed it. */
  remote: Remote;
  /** Undefined if the codes were not compared. */
  compared: Compared | undefined;
}

/** A val whose file was deleted here. */
export interface MissingFile {
  status: 'missing here';
  file: string;
  name: string;
  remote: RemoteVal;
}

export type Finding = NewFile | ComparedFile | Conflict | MissingFile;

/** A status, with the reason in place of `conflict`. */
export type Word = Exclude<Finding['status'], 'conflict'> | Reason;

export const wordOf = (finding: Finding): Word =>
  finding.status === 'conflict' ? finding.reason : finding.status;

export const fileOf = (finding: Finding): string =>
  finding.status === 'missing here' ? finding.file : finding.local.file;

export const nameOf = (finding: Finding): string =>
  finding.status === 'missing here' ? finding.name : finding.local.name;

export const valOf = ({ remote }: Finding): RemoteVal | undefined =>
  remote.kind === 'val' ? remote : undefined;

/** The codes of both sides differ, as far as is known. */
export const differs = ({ status }: Finding): boolean => status !== 'unchanged';
