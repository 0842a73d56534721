// What an answer tells about vals: which there are, which are gone, and who is asking.
import type { Call } from '../api/call.ts';
import type { Answer } from '../api/http/transport.ts';
import { rowsOf, textAt } from '../api/records.ts';
import { ValsError } from '../errors.ts';
import { isObject, type JsonObject } from '../lib/json.ts';
import type { SeenVals } from './seen-vals.ts';

type Request = (call: Call) => Promise<Answer>;

/** The same request, whose answers are noted. Runs carry no vals worth parsing their long lists for. */
export const notingAnswers =
  (request: Request, seen: SeenVals): Request =>
  async (call) => {
    try {
      const answer = await request(call);
      noteAnswer(call, answer, seen);
      return answer;
    } catch (error) {
      const id = valOf(call.path);
      if (id !== undefined && error instanceof ValsError && isGone(error)) seen.drop(id);
      throw error;
    }
  };

const isGone = ({ facts: { status } }: ValsError): boolean => status === 404 || status === 410;

/** The val that a path is about; a version that is not there says nothing of its val. */
const valOf = (path: string): string | undefined =>
  segmentIn(/^\/v1\/vals\/([^/?]+)(?:\/(?:versions|runs))?$/, path);

function segmentIn(pattern: RegExp, path: string): string | undefined {
  const segment = pattern.exec(path)?.[1];
  try {
    return segment && decodeURIComponent(segment);
  } catch {
    return undefined;
  }
}

function noteAnswer({ method, path }: Call, { body }: Answer, seen: SeenVals): void {
  if (method === 'DELETE') {
    const id = /\/versions|\/runs/.test(path) ? undefined : valOf(path);
    if (id !== undefined) seen.drop(id);
  } else if (method === 'GET' && path === '/v1/me') {
    const id = isObject(body) ? textAt(body, 'id') : undefined;
    if (id !== undefined) seen.noteMe(id);
  } else if (path === '/v1/vals' || (method === 'GET' && /^\/v1\/vals\/[^/?]+$/.test(path))) {
    if (isObject(body)) noteVal(body, path === '/v1/vals', seen);
  } else if (method === 'POST' && /^\/v1\/vals\/[^/?]+\/versions$/.test(path)) {
    if (isObject(body) && textAt(body, 'id') === valOf(path)) noteVal(body, false, seen);
  } else if (method === 'GET' && (path === '/v1/me/likes' || ownerIn(path) !== undefined)) {
    for (const record of recordsOf({ method, path }, body)) noteVal(record, false, seen, ownerIn(path));
  }
}

/** Whose list it is. */
const ownerIn = (path: string): string | undefined => segmentIn(/^\/v1\/users\/([^/?]+)\/vals$/, path);

/** None where it is no list: the command that asked for it says so. */
function recordsOf(asked: { method: string; path: string }, body: Answer['body']) {
  try {
    return rowsOf(body ?? null, asked);
  } catch {
    return [];
  }
}

function noteVal(record: JsonObject, isMine: boolean, seen: SeenVals, listOf?: string): void {
  const id = textAt(record, 'id');
  const name = textAt(record, 'name');
  if (!id || !name) return;
  const version = textAt(record, 'version');
  const owner = textAt(record, 'author.id') ?? textAt(record, 'author_id') ?? listOf;
  seen.note({
    id,
    name,
    ...(version !== undefined && { version }),
    ...(owner !== undefined && { owner }),
    ...(isMine && { mine: true }),
  });
}
