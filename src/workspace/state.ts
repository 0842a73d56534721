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
  | 'new'
  | 'missing here'
  | 'deleted there';

/** `wasThere` is true if vals.json or a record knows the val. */
export function codeState({ here, record, there }: Sides<string>, wasThere: boolean): CodeState {
  if (here === undefined) return there === undefined && wasThere ? 'deleted there' : 'missing here';
  if (there === undefined) return wasThere ? 'deleted there' : 'new';
  if (here === there) return 'unchanged';
  if (record === undefined) return 'differs';
  if (there === record) return 'changed here';
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
  isUnmerged: boolean;
}

/** The state as `vals status` shows it. */
export type State = CodeState | 'unmerged' | 'renamed here' | 'not yours';

const canBeRenamed: ReadonlySet<CodeState> = new Set(['unchanged', 'changed here', 'changed there']);

export function stateOf({ code, name, isOthers, isUnmerged }: Findings): State {
  if (isOthers) return 'not yours';
  if (name === 'other val') return 'conflict';
  if (isUnmerged) return 'unmerged';
  return name === 'renamed here' && canBeRenamed.has(code) ? 'renamed here' : code;
}

/** What the user allowed for one val. */
export interface Permission {
  force: boolean;
  /** The path of the file, or of a folder above it, is on the command line. */
  isNamed: boolean;
  /** --yes, or the answer to the question. */
  mayOverwrite: boolean;
}

export type Decision = 'send' | 'leave' | 'refuse';

/** `leave` means that there is nothing to send. */
export function decide(
  { code, name, isOthers, isUnmerged }: Findings,
  { force, isNamed, mayOverwrite }: Permission,
): Decision {
  if (isOthers || name === 'other val') return 'refuse';
  switch (code) {
    case 'unchanged':
      return 'leave';
    case 'changed there':
      return force && isNamed ? 'send' : 'leave';
    case 'new':
    case 'changed here':
      return isUnmerged && !force ? 'refuse' : 'send';
    case 'conflict':
      return force ? 'send' : 'refuse';
    case 'differs':
      return force || (mayOverwrite && !isUnmerged) ? 'send' : 'refuse';
    case 'missing here':
    case 'deleted there':
      return 'refuse';
  }
}
