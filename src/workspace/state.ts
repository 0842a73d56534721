// The one rule: a val is overwritten without a question only if its code on the service is the code in the record.
// This file says in which state a val is, and what a push may do with it.

/** Undefined means that there is no file, no record, or no val. */
export interface Sides<Value> {
  here: Value | undefined;
  record: Value | undefined;
  there: Value | undefined;
}

export type CodeState =
  | 'unchanged'
  | 'changed here'
  | 'changed there'
  /** Changed on both sides. */
  | 'conflict'
  /** The codes differ, and there is no record, so nobody knows which side is newer. */
  | 'differs'
  /** The file has code that the service had before, as after `git checkout` of an older branch. */
  | 'older here'
  | 'new'
  | 'missing here'
  | 'deleted there'
  /** There is neither a file nor a val. */
  | 'gone';

export interface Past {
  /** vals.json or a record knows the val. */
  wasThere: boolean;
  /** The file has a code that file and service had in common before that of the record. */
  isOlder: boolean;
  /** Nobody knows whether the service has a val of that name. */
  isNameUnknown: boolean;
}

export function codeState(
  { here, record, there }: Sides<string>,
  { wasThere, isOlder, isNameUnknown }: Past,
): CodeState {
  if (here === undefined) return there === undefined && !isNameUnknown ? 'gone' : 'missing here';
  if (there === undefined) return wasThere ? 'deleted there' : 'new';
  if (here === there) return 'unchanged';
  if (record === undefined) return 'differs';
  if (there === record) return isOlder ? 'older here' : 'changed here';
  return here === record ? 'changed there' : 'conflict';
}

export type NameState =
  | 'same'
  | 'renamed here'
  | 'renamed there'
  /** vals.json has the id of a val with another name, and no record shows which side renamed. */
  | 'other val';

export function nameState({ here, record, there }: Sides<string>): NameState {
  if (there === undefined || here === there) return 'same';
  if (record === there) return 'renamed here';
  return record === here ? 'renamed there' : 'other val';
}

export interface Findings {
  code: CodeState;
  name: NameState;
  isOthers: boolean;
  /** The file has the marks of a merge. */
  isUnmerged: boolean;
  /** vals.json lists the val with another file, which is gone. */
  isMoved: boolean;
  /** vals.json has a name that the val had before, as after `git checkout` of an older branch. */
  isOlderName: boolean;
}

/** The state as `vals status` shows it. */
export type State = CodeState | 'unmerged' | 'renamed here' | 'moved here' | 'not yours';

const canBeRenamed: ReadonlySet<CodeState> = new Set(['unchanged', 'changed here', 'changed there']);
const hasCodeOfVal: ReadonlySet<CodeState> = new Set(['unchanged', 'changed there']);

export function stateOf({ code, name, isOthers, isUnmerged, isMoved, isOlderName }: Findings): State {
  if (isOthers) return 'not yours';
  if (name === 'other val') return 'conflict';
  if (isUnmerged) return 'unmerged';
  if (name === 'renamed here' && canBeRenamed.has(code)) return isOlderName ? 'older here' : 'renamed here';
  return isMoved && hasCodeOfVal.has(code) ? 'moved here' : code;
}

/** What the user allowed for one val. */
export interface Permission {
  force: boolean;
  /** The path of the file, or of a folder above it, is on the command line. */
  isNamed: boolean;
  /** --yes, the answer to the question, or a matching --if-version. */
  mayOverwrite: boolean;
  /** With a matching --if-version, the user knows the code on the service, whatever the record says. */
  isKnownVersion: boolean;
  /** The file was saved while the command watched it. That is an edit, even if the code is old. */
  isSave: boolean;
}

export type Decision = 'send' | 'leave' | 'ask' | 'refuse';

/** `leave` means that there is nothing to send. */
export function decide(findings: Findings, permission: Permission): Decision {
  if (findings.isOthers || findings.name === 'other val') return 'refuse';
  const decision = decideOnCode(findings, permission);
  const { force, mayOverwrite, isSave } = permission;
  const mayRename = !findings.isOlderName || force || mayOverwrite || isSave;
  return mayRename || !canBeRenamed.has(findings.code) ? decision : 'ask';
}

function decideOnCode({ code, isUnmerged }: Findings, permission: Permission): Decision {
  const { force, isNamed, mayOverwrite, isKnownVersion, isSave } = permission;
  const canSend = force || !isUnmerged;
  switch (code) {
    case 'unchanged':
      return 'leave';
    case 'changed there':
      if (isKnownVersion) return canSend ? 'send' : 'refuse';
      return force && isNamed ? 'send' : 'leave';
    case 'new':
    case 'changed here':
      return canSend ? 'send' : 'refuse';
    case 'conflict':
      return force || (isKnownVersion && canSend) ? 'send' : 'refuse';
    case 'older here':
    case 'differs': {
      if (!canSend) return 'refuse';
      const isEdit = code === 'older here' && isSave;
      return force || mayOverwrite || isEdit ? 'send' : 'ask';
    }
    case 'missing here':
    case 'gone':
      return 'leave';
    case 'deleted there':
      return 'refuse';
  }
}
