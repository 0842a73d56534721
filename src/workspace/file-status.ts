// The status of a file: what a comparison with its val found. `status` shows it, and a push and a pull decide by it.
import type { Comparison } from './compare/types.ts';
import type { Local } from './read/local.ts';
import type { Remote, RemoteVal } from './read/remote-val.ts';

const reasons = [
  'both changed',
  'marks',
  'deleted there',
  'renamed there',
  'name taken',
  'not yours',
] as const;

/** Beside `conflict`: why neither side is simply newer. */
export type Reason = (typeof reasons)[number];

/** A status, with the reason in place of `conflict`. */
export type State = 'unchanged' | 'changed here' | 'changed there' | 'new' | 'missing here' | Reason;

export interface FileStatus {
  state: State;
  file: string;
  name: string;
  /** Undefined if the file was deleted. */
  local: Local | undefined;
  /** With another name than the file's if either side renamed it. */
  remote: Remote;
  /** Undefined if the codes were not compared. */
  comparison: Comparison | undefined;
}

/** Neither side is simply newer. */
export type Conflict = FileStatus & { state: Reason };

export const fileStatusOf = <S extends State>(
  state: S,
  local: Local,
  remote: Remote,
  comparison?: Comparison,
): FileStatus & { state: S } => ({
  ...{ state, local, remote, comparison },
  file: local.file,
  name: local.name,
});

export const valOf = ({ remote }: Pick<FileStatus, 'remote'>): RemoteVal | undefined =>
  remote.kind === 'val' ? remote : undefined;

export const isReason = (state: State): state is Reason => reasons.some((reason) => reason === state);

export const isConflict = (fileStatus: FileStatus): fileStatus is Conflict => isReason(fileStatus.state);

/** As rows have them. */
export const statusOf = ({ state }: FileStatus): { status: string; reason?: Reason } =>
  isReason(state) ? { status: 'conflict', reason: state } : { status: state };

/** The codes of both sides differ, as far as is known. */
export const differs = ({ state }: FileStatus): boolean => state !== 'unchanged';
