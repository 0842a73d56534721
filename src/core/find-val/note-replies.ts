import type { Call, Reply, RouteName } from '../http/call.ts';
import { ownerOf, recordsIn, textAt, versionOf } from '../http/record-fields.ts';
import { type CallFailed, isStatus } from '../http/request/faults.ts';
import { isObject, type JsonObject, lookUp } from '../lib/json.ts';
import type { SeenVals } from './seen-vals.ts';

/** If the service answers 404 or 410 to one of these calls, the val is gone. */
const callsAboutVal: ReadonlySet<RouteName> = new Set([
  'createVersion',
  'deleteVal',
  'getVal',
  'listVersions',
  'valRuns',
]);

/** Drops a val that the service says is gone. */
export function noteFailure({ call, fault }: CallFailed, seen: SeenVals): void {
  if (call.val === undefined || !callsAboutVal.has(call.route) || !isStatus(fault, 404, 410)) return;
  seen.drop(call.val.id);
}

/** Remembers the vals that a reply carries, so that people can name them. */
export function noteReply(call: Call, { body = null }: Reply, seen: SeenVals): void {
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
        noteVal({ name: lookUp(call.body ?? null, 'name') ?? null, ...body }, seen, { isMine: true });
      break;
    case 'getVal':
    case 'createVersion':
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
