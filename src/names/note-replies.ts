import type { Call, Reply, Request } from '../api/call.ts';
import { listOf, ownerOf, textAt } from '../api/records.ts';
import { ValsError } from '../errors.ts';
import { isObject, type JsonObject } from '../lib/json.ts';
import type { SeenVals } from './seen-vals.ts';

export const notingReplies =
  (request: Request, seen: SeenVals): Request =>
  async (call) => {
    try {
      const reply = await request(call);
      noteReply(call, reply, seen);
      return reply;
    } catch (error) {
      if (call.val !== undefined && error instanceof ValsError && isGone(error)) seen.drop(call.val);
      throw error;
    }
  };

const isGone = ({ facts: { status } }: ValsError): boolean => status === 404 || status === 410;

function noteReply(call: Call, { body = null }: Reply, seen: SeenVals): void {
  const { val, remember } = call;
  switch (remember?.kind) {
    case 'me': {
      const id = textAt(body, 'id');
      if (id !== undefined) seen.noteMe(id);
      break;
    }
    case 'val':
      if (isObject(body) && (val === undefined || textAt(body, 'id') === val)) {
        noteVal(body, seen, remember.isMine);
      }
      break;
    case 'vals':
      for (const record of recordsIn(body, call)) noteVal(record, seen, false, remember.owner);
      break;
    case 'deletion':
      if (val !== undefined) seen.drop(val);
      break;
  }
}

function recordsIn(body: Reply['body'], call: Call): readonly JsonObject[] {
  try {
    return listOf(body ?? null, call);
  } catch {
    return [];
  }
}

function noteVal(record: JsonObject, seen: SeenVals, isMine: boolean, listOwner?: string): void {
  const id = textAt(record, 'id');
  const name = textAt(record, 'name');
  if (!id || !name) return;
  const version = textAt(record, 'version');
  const owner = ownerOf(record)?.id ?? listOwner;
  seen.note({ id, name, version, owner, ...(isMine && { mine: true }) });
}
