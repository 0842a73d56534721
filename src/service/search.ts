// Finds vals whose name or code contains a text: the caller's own ones, then the public ones of others.
import { setImmediate } from 'node:timers/promises';
import type { All, Database } from './database/database.ts';
import { isWord, positionsOf } from './positions.ts';
import type { User } from './users.ts';

export interface SearchRange {
  limit: number;
  /** How many to leave out. */
  offset: number;
  after?: Position;
  /** Only the caller's own ones. */
  isMine: boolean;
}

interface Found {
  ids: string[];
  /** Where the next page begins; undefined at the end. */
  next: Position | undefined;
}

/** The val that was looked at last. */
export type Position = readonly [scope: Scope, updatedAt: string, name: string, id: string];

const scopes = ['own', 'others'] as const;
type Scope = (typeof scopes)[number];

export const searchPositions = positionsOf<Position>(
  'search',
  ([scope, ...val]) => scopes.some((known) => known === scope) && val.length === 3 && val.every(isWord),
);

/** One statement looks at so many vals, in up to 50 ms. Requests of others are answered before each statement. */
const valsAtATime = 10;
/** One request reads so much code; what it did not reach is on the next page. */
const mostBytes = 64 * 1024 * 1024;

const afterEveryTime = '9999';

const conditions: Record<Scope, string> = {
  own: 'owner_id = ?',
  others: "privacy = 'public' AND owner_id <> ?",
};

/** Both indexes lead from the newest to the oldest. */
const orders: Record<Scope, string> = {
  own: 'updated_at DESC, name',
  others: 'updated_at DESC, name, id',
};

interface Candidate {
  id: string;
  name: string;
  updatedAt: string;
  bytes: number;
  /** 1 if the code contains the text. */
  hasText: number;
}

export async function searchVals(
  { all, contains }: Pick<Database, 'all' | 'contains'>,
  caller: User,
  text: string,
  { limit, after, offset, isMine }: SearchRange,
): Promise<Found> {
  const ids: string[] = [];
  /** The last one that was found. */
  let last: Position | undefined;
  let skipped = 0;
  let bytes = 0;
  const from = scopes.indexOf(after?.[0] ?? 'own');
  for (const scope of scopes.slice(from, isMine ? 1 : undefined)) {
    let position: Position = after?.[0] === scope ? after : [scope, afterEveryTime, '', ''];
    for (;;) {
      await setImmediate();
      const candidates = await readCandidates(all, contains, caller, text, position);
      for (const { id, name, updatedAt, bytes: size, hasText } of candidates) {
        position = [scope, updatedAt, name, id];
        bytes += size;
        if (hasText === 0 && !name.toLowerCase().includes(text.toLowerCase())) continue;
        if (skipped < offset) skipped += 1;
        else if (ids.length === limit) return { ids, next: last };
        else ids.push(id);
        last = position;
      }
      if (candidates.length < valsAtATime) break;
      if (bytes > mostBytes) return { ids, next: position };
    }
  }
  return { ids, next: undefined };
}

function readCandidates(
  all: All,
  contains: string,
  caller: User,
  text: string,
  [scope, updatedAt, name, id]: Position,
): Promise<Candidate[]> {
  // Rows that changed at the same moment are told apart by the second condition; the first one is for the index.
  const behind = 'updated_at <= ? AND (updated_at < ? OR name > ? OR (name = ? AND id > ?))';
  const inCode = (expression: string) =>
    `(SELECT ${expression} FROM versions WHERE val_id = vals.id ORDER BY version DESC LIMIT 1)`;
  return all<Candidate>(
    `SELECT id, name, updated_at AS "updatedAt", ${inCode('length(code)')} AS bytes,
        ${inCode(`CASE WHEN ${contains} THEN 1 ELSE 0 END`)} AS "hasText"
      FROM vals WHERE ${conditions[scope]} AND ${behind} ORDER BY ${orders[scope]} LIMIT ${valsAtATime}`,
    [Buffer.from(text), caller.id, updatedAt, updatedAt, name, name, id],
  );
}
