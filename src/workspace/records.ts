// A record says what the file of a val and the service last had in common: the id, the name, the code, and the branch of
// that moment. It is a fact that vals saw, never a permission, and a lost record costs no more than a question.
import { hash } from 'node:crypto';
import { LocalError } from '../core/errors.ts';
import { isObject, type JsonValue, parseIfJson, stringifyJson, withoutUndefined } from '../core/lib/json.ts';
import { type Code, type CodeWithText, codeOf, isSameCode } from './code.ts';
import type { OwnFolder } from './records/own-folder.ts';

export interface ValRecord {
  name: string;
  file: string;
  /** Undefined if the service answered a push without an id. */
  id?: string | undefined;
  version?: number | undefined;
  changedAt?: string | undefined;
  /** The text of git's HEAD. Undefined without git. */
  head?: string | undefined;
  code: CodeWithText;
  /** The id of code that was sent, and perhaps stored, by a push whose answer was lost. */
  sent?: string | undefined;
}

export interface Records {
  /** Says without a look into the records whether there is any. */
  isEmpty(): boolean;
  /** The record of the val with this name. */
  of(name: string): ValRecord | undefined;
  /** The records of vals that have none of these names. */
  except(names: ReadonlySet<string>): ValRecord[];
  /** A record that cannot be written costs no more than a warning, once per command. */
  write(record: ValRecord): void;
  /** Changes the record of a val, if there is one. A record with another name replaces the one before. */
  update(name: string, changes: Partial<Omit<ValRecord, 'code'>>): void;
  remove(name: string): void;
}

export function createRecords(folder: OwnFolder, service: string, warn: (message: string) => void): Records {
  const place = folderOfService(service);
  const read = (file: string) => parseRecord(folder.read(`${place}/${file}`));
  let hasWarned = false;

  function of(name: string): ValRecord | undefined {
    const record = read(fileOf(name));
    return record?.name === name ? record : undefined;
  }

  function write(record: ValRecord): void {
    try {
      folder.write(`${place}/${fileOf(record.name)}`, formatRecord(record));
    } catch (error) {
      if (!(error instanceof LocalError)) throw error;
      if (!hasWarned) warn(`vals keeps no record of this workspace: ${error.message}`);
      hasWarned = true;
    }
  }

  const remove = (name: string) => folder.remove(`${place}/${fileOf(name)}`);

  return {
    of,
    write,
    remove,
    isEmpty: () => folder.names(place).length === 0,
    except(names) {
      const known = new Set([...names].map(fileOf));
      const others = folder.names(place).filter((file) => !known.has(file));
      return others.flatMap((file) => read(file) ?? []);
    },
    update(name, changes) {
      const record = of(name);
      if (record === undefined) return;
      const changed = { ...record, ...changes };
      write(changed);
      if (changed.name !== name) remove(name);
    },
  };
}

/**
 * The record, if it counts. What another branch had in common with the service says nothing of this one; a detached HEAD is
 * the text of a commit, so its record counts at that commit alone. A record of another val, which had the same name, does
 * not count either.
 */
export function countingRecord(
  record: ValRecord | undefined,
  head: string | undefined,
  val?: { id: string | undefined },
): ValRecord | undefined {
  const isOtherBranch = record?.head !== undefined && head !== undefined && record.head !== head;
  const isOtherVal = record?.id !== undefined && val?.id !== undefined && record.id !== val.id;
  return isOtherBranch || isOtherVal ? undefined : record;
}

/**
 * The code of the record. If the service has the code that a push sent before its answer was lost, both sides had that
 * code in common.
 */
export function codeOfRecord(record: ValRecord, there: Code | undefined): Code {
  const wasStored = record.sent !== undefined && there !== undefined && record.sent === there.blob;
  return wasStored ? there : record.code;
}

const fileOf = (name: string): string => `${hash('sha256', name).slice(0, 32)}.txt`;

/** Both say the same, so that the record need not be written again. */
export const isSameRecord = (a: ValRecord | undefined, b: ValRecord | undefined): boolean =>
  a?.file === b?.file &&
  a?.id === b?.id &&
  a?.version === b?.version &&
  a?.changedAt === b?.changedAt &&
  a?.head === b?.head &&
  a?.sent === b?.sent &&
  (a === b || isSameCode(a?.code, b?.code));

/** The first line has all fields except the code, which follows. */
function formatRecord({ code, ...fields }: ValRecord): string {
  return `${stringifyJson(withoutUndefined({ ...fields, length: code.text.length }))}\n${code.text}`;
}

function parseRecord(text: string | undefined): ValRecord | undefined {
  if (text === undefined) return undefined;
  const end = text.indexOf('\n');
  const fields = parseIfJson(text.slice(0, Math.max(0, end)));
  const code = text.slice(end + 1);
  if (!isObject(fields) || fields.length !== code.length) return undefined;
  const { name, file, id, version, changedAt, head, sent } = fields;
  if (typeof name !== 'string' || typeof file !== 'string') return undefined;
  return {
    ...{ name, file, id: ifText(id), changedAt: ifText(changedAt), head: ifText(head), sent: ifText(sent) },
    version: typeof version === 'number' ? version : undefined,
    code: codeOf(code),
  };
}

const ifText = (value: JsonValue | undefined): string | undefined =>
  typeof value === 'string' ? value : undefined;

/** The folder of the records of one service. The address of the service can be read from its name. */
export const folderOfService = (service: string): string =>
  `records/${encodeURIComponent(service).replaceAll('*', '%2A')}`;
