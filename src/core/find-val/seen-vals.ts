// The vals that this machine has seen, so that people can name them. Only a cache: a lost or broken file does no harm.
import { join } from 'node:path';
import type { Call, Reply, RouteName } from '../http/call.ts';
import { nextLinkIn, ownerOf, recordsIn, versionOf } from '../http/record-fields.ts';
import { type CallFailed, isStatus } from '../http/request/faults.ts';
import { isObject, type JsonObject, lookUp, textAt } from '../lib/json.ts';
import { readPlainFile, replacePrivate } from '../lib/plain-file.ts';
import type { Settings } from '../settings/settings.ts';

export interface SeenVal {
  id: string;
  name: string;
  version?: number | undefined;
  /** An id. Empty if the owner is unknown and probably not the caller, as in a list of likes. */
  owner?: string | undefined;
  /** This token made or wrote it. */
  mine?: true;
}

export interface SeenVals {
  note(val: SeenVal): void;
  noteMe(id: string): void;
  drop(id: string): void;
  /** Reads the file on each call, because other processes may have changed it. The newest val comes last. */
  recall(): Recalled;
  save(): void;
}

interface Recalled extends Seen {
  mine: SeenVal[];
  /** Nobody told whose they are: they were only read by their ids. */
  unowned: SeenVal[];
}

/** The content of the file. */
interface Seen {
  /** The id of the caller. */
  me: string | undefined;
  vals: SeenVal[];
}

export const noSeenVals: SeenVals = {
  note() {},
  noteMe() {},
  drop() {},
  recall: () => ({ me: undefined, vals: [], mine: [], unowned: [] }),
  save() {},
};

const mostVals = 10_000;

/** Which service, with which token. */
type SeenSettings = Pick<Settings, 'dataDirectory' | 'local' | 'baseUrl' | 'token'>;

export function createSeenVals(
  settings: SeenSettings,
  holdsSecret: (text: string) => boolean = () => false,
): SeenVals {
  /** What this command has seen and the file does not have yet. */
  const notes = new Map<string, SeenVal | 'deleted'>();
  let me: string | undefined;

  function readWithNotes(file: string | undefined): Seen {
    const before = file === undefined ? nothingSeen : readSeen(file);
    const vals = new Map(before.vals.map((val) => [val.id, val]));
    for (const [id, note] of notes) {
      const known = vals.get(id);
      // `delete` before `set` moves the val to the end: the first ones are dropped when there are too many.
      vals.delete(id);
      const val = note === 'deleted' ? undefined : withKnown(known, note);
      // The answer to a new version may have no name.
      if (val?.name) vals.set(id, val);
    }
    return { me: me ?? before.me, vals: [...vals.values()].slice(-mostVals) };
  }

  return {
    note(val) {
      const texts = [val.id, val.name, val.owner ?? ''];
      if (notes.size >= mostVals || texts.some(holdsSecret)) return;
      const before = notes.get(val.id);
      if (before !== 'deleted') notes.set(val.id, withKnown(before, val));
      else if (val.name !== '') notes.set(val.id, val);
    },
    noteMe(id) {
      if (!holdsSecret(id)) me = id;
    },
    drop: (id) => void notes.set(id, 'deleted'),
    recall() {
      const seen = readWithNotes(fileOf(settings));
      const isMine = ({ owner, mine }: SeenVal) => mine || (owner !== undefined && owner === seen.me);
      const isUnowned = ({ owner, mine }: SeenVal) => !mine && owner === undefined;
      return { ...seen, mine: seen.vals.filter(isMine), unowned: seen.vals.filter(isUnowned) };
    },
    save() {
      if (notes.size === 0 && me === undefined) return;
      try {
        const file = fileOf(settings);
        if (file === undefined) return;
        const text = `${JSON.stringify(readWithNotes(file))}\n`;
        if (text !== contentOf(file)) replacePrivate(file, text);
      } catch {
        // The next command finds less by name, and that is all.
      }
    },
  };
}

const nothingSeen: Seen = { me: undefined, vals: [] };

/** Each service and token has a file of its own. Its name is a digest, because it must not reveal the token. */
function fileOf(settings: SeenSettings): string | undefined {
  const { dataDirectory } = settings;
  if (dataDirectory === undefined) return undefined;
  const { createHash } = process.getBuiltinModule('node:crypto');
  // With --local, a broken base URL or token does no harm: it is not read.
  const service = settings.local.value ? ['local'] : [settings.baseUrl?.value.href, settings.token?.value];
  const digest = createHash('sha256').update(JSON.stringify(service)).digest('hex');
  return join(dataDirectory.value, 'seen', `${digest.slice(0, 16)}.json`);
}

/** Not every answer tells all that is known of a val. */
const withKnown = (known: SeenVal | undefined, val: SeenVal): SeenVal =>
  known === undefined
    ? val
    : {
        id: val.id,
        name: val.name || known.name,
        version: val.version ?? known.version,
        owner: val.owner || (known.owner ?? val.owner),
        ...((val.mine || known.mine) && { mine: true }),
      };

function readSeen(file: string): Seen {
  try {
    const seen: unknown = JSON.parse(contentOf(file) ?? '');
    if (!isObject(seen) || !Array.isArray(seen.vals)) return nothingSeen;
    const vals: unknown[] = seen.vals;
    return { me: typeof seen.me === 'string' ? seen.me : undefined, vals: vals.filter(isSeenVal) };
  } catch {
    return nothingSeen;
  }
}

function contentOf(file: string): string | undefined {
  try {
    return readPlainFile(file).toString();
  } catch {
    return undefined;
  }
}

function isSeenVal(value: unknown): value is SeenVal {
  if (!isObject(value)) return false;
  const { id, name, version, owner } = value;
  const isText = (text: unknown) => typeof text === 'string';
  const isNumberOrAbsent = version === undefined || typeof version === 'number';
  return isText(id) && isText(name) && isNumberOrAbsent && (owner === undefined || isText(owner));
}

/** If the service answers 404 or 410 to one of these calls, the val is gone. */
const callsAboutVal: ReadonlySet<RouteName> = new Set(['deleteVal', 'getVal']);

/** If it does so to one of these, the val is gone, or somebody else's. */
const callsOfOwner: ReadonlySet<RouteName> = new Set(['createVersion', 'listVersions', 'valRuns']);

/** Drops a val that the service says is gone. */
export function noteFailure({ call, fault }: CallFailed, seen: SeenVals): void {
  if (call.val === undefined) return;
  if (callsAboutVal.has(call.route) && isStatus(fault, 404, 410)) seen.drop(call.val.id);
  const isRefused = call.route === 'listVersions' && isStatus(fault, 403);
  if (isRefused || (callsOfOwner.has(call.route) && isStatus(fault, 404, 410)))
    seen.note({ id: call.val.id, name: '', owner: '' });
}

/** Remembers the vals that a reply carries, so that people can name them. */
export function noteReply(call: Call, { body }: Reply, seen: SeenVals): void {
  const val = call.val?.id;
  switch (call.route) {
    case 'me': {
      const id = textAt(body, 'id');
      if (id !== undefined) seen.noteMe(id);
      break;
    }
    case 'createVal':
    case 'putVal':
      // Some services answer with the id and the version alone.
      if (isObject(body))
        noteVal({ name: lookUp(call.body, 'name') ?? null, ...body }, seen, { isMine: true });
      break;
    case 'createVersion':
      if (val !== undefined) {
        const isVal = isObject(body) && textAt(body, 'id') === val;
        const name = (isVal && textAt(body, 'name')) || '';
        seen.note({ id: val, name, version: versionOf(body), mine: true });
      }
      break;
    case 'listVersions': {
      // One page of several does not tell the newest one.
      const numbers = nextLinkIn(body) ? [] : recordsIn(body).flatMap((each) => versionOf(each) ?? []);
      if (val !== undefined && numbers.length > 0)
        seen.note({ id: val, name: '', version: Math.max(...numbers) });
      break;
    }
    case 'getVal':
      if (isObject(body) && textAt(body, 'id') === val) noteVal(body, seen);
      break;
    case 'myLikes':
    case 'userVals':
      // A list of likes has no owner: see SeenVal.
      for (const record of recordsIn(body)) noteVal(record, seen, { listOwner: call.user ?? '' });
      break;
    case 'deleteVal':
      if (val !== undefined) seen.drop(val);
      break;
    default:
  }
}

function noteVal(
  record: JsonObject,
  seen: SeenVals,
  { isMine = false, listOwner }: { isMine?: boolean; listOwner?: string | undefined } = {},
): void {
  const id = textAt(record, 'id');
  const name = textAt(record, 'name');
  if (!id || !name) return;
  const version = versionOf(record);
  const owner = ownerOf(record)?.id ?? listOwner;
  seen.note({ id, name, version, owner, ...(isMine && { mine: true }) });
}
