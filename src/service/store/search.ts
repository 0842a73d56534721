import type { All, Database } from '../database/database.ts';
import { isTimeNameOrId, positionsOf } from './positions.ts';
import { findListedVal, type ListedVal } from './read-vals.ts';
import type { User } from './users.ts';

export interface SearchRange {
  limit: number;
  offset: number;
  after?: Position;
  onlyOwn: boolean;
}

export type Position = readonly [scope: Scope, updatedAt: string, name: string, id: string];

const scopes = ['own', 'others'] as const;
type Scope = (typeof scopes)[number];

export const searchPositions = positionsOf<Position>(
  'search',
  (parts): parts is Position =>
    parts.length === 4 && scopes.some((scope) => scope === parts[0]) && parts.every(isTimeNameOrId),
);

const mostValsPerStep = 50;
const mostBytesPerStep = 1024 * 1024;
const mostBytes = 64 * 1024 * 1024;

const afterEveryTime = '9999';

const conditions: Record<Scope, string> = {
  own: 'owner_id = ?',
  others: "privacy = 'public' AND owner_id <> ?",
};

const orders: Record<Scope, string> = {
  own: 'updated_at DESC, name',
  others: 'updated_at DESC, name, id',
};

interface Candidate {
  id: string;
  name: string;
  updatedAt: string;
  bytes: number;
  hasText: number;
}

export async function searchVals(
  database: Pick<Database, 'all' | 'codeContains'>,
  caller: User,
  text: string,
  range: SearchRange,
  takeTurn: () => Promise<void>,
): Promise<{ vals: ListedVal[]; next: Position | undefined }> {
  const { ids, next } = await findIds(database, caller, text, range, takeTurn);
  const vals: ListedVal[] = [];
  for (const id of ids) {
    const val = await findListedVal(database.all, id);
    // The owner may have made the val private since `findIds` found it.
    if (val?.privacy === 'public' || val?.author.id === caller.id) vals.push(val);
  }
  return { vals, next };
}

async function findIds(
  { all, codeContains }: Pick<Database, 'all' | 'codeContains'>,
  caller: User,
  text: string,
  { limit, after, offset, onlyOwn }: SearchRange,
  takeTurn: () => Promise<void>,
): Promise<{ ids: string[]; next: Position | undefined }> {
  const ids: string[] = [];
  let lastFound: Position | undefined;
  let skipped = 0;
  let bytes = 0;
  const from = scopes.indexOf(after?.[0] ?? 'own');
  for (const scope of scopes.slice(from, onlyOwn ? 1 : undefined)) {
    let position: Position = after?.[0] === scope ? after : [scope, afterEveryTime, '', ''];
    for (;;) {
      const sizes = await readSizes(all, caller, position);
      const count = countInStep(sizes);
      const candidates = await readCandidates(all, codeContains, caller, text, position, count);
      for (const { id, name, updatedAt, bytes: size, hasText } of candidates) {
        position = [scope, updatedAt, name, id];
        bytes += size;
        if (hasText === 0 && !name.toLowerCase().includes(text.toLowerCase())) continue;
        if (skipped < offset) skipped += 1;
        else if (ids.length === limit) return { ids, next: lastFound };
        else ids.push(id);
        lastFound = position;
      }
      if (count === sizes.length && count < mostValsPerStep) break;
      if (bytes > mostBytes) return { ids, next: position };
      await takeTurn();
    }
  }
  return { ids, next: undefined };
}

/** Limits the bytes in a step, because a search for a text of 600 bytes in a megabyte of code can take 30 ms. */
function countInStep(sizes: readonly number[]): number {
  let bytes = 0;
  const firstLeft = sizes.findIndex((size, index) => {
    bytes += size;
    return bytes > mostBytesPerStep && index > 0;
  });
  return firstLeft < 0 ? sizes.length : firstLeft;
}

const inCode = (expression: string): string =>
  `(SELECT ${expression} FROM versions WHERE val_id = vals.id ORDER BY version DESC LIMIT 1)`;

const codeSize = inCode('length(code)');

// The first condition is redundant, but without the first condition the database would not use its index.
const nextVals = (scope: Scope): string => `FROM vals WHERE ${conditions[scope]}
  AND updated_at <= ? AND (updated_at < ? OR name > ? OR (name = ? AND id > ?)) ORDER BY ${orders[scope]} LIMIT ?`;

async function readSizes(all: All, caller: User, [scope, updatedAt, name, id]: Position): Promise<number[]> {
  const rows = await all<{ bytes: number }>(`SELECT ${codeSize} AS bytes ${nextVals(scope)}`, [
    caller.id,
    updatedAt,
    updatedAt,
    name,
    name,
    id,
    mostValsPerStep,
  ]);
  return rows.map(({ bytes }) => bytes);
}

function readCandidates(
  all: All,
  codeContains: string,
  caller: User,
  text: string,
  [scope, updatedAt, name, id]: Position,
  count: number,
): Promise<Candidate[]> {
  return all<Candidate>(
    `SELECT id, name, updated_at AS "updatedAt", ${codeSize} AS bytes,
      ${inCode(`CASE WHEN ${codeContains} THEN 1 ELSE 0 END`)} AS "hasText" ${nextVals(scope)}`,
    [Buffer.from(text), caller.id, updatedAt, updatedAt, name, name, id, count],
  );
}
