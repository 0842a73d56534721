import type { Reader, Tx } from '../database/database.ts';
import { allOf, emptySql, sql } from '../database/sql.ts';
import type { User } from './access.ts';
import type { ListPart, Range, TimePosition } from './positions.ts';

/** These are stored as they were loaded, because the service itself makes none. For runs see `runs.ts`. */
export const loadedKinds = ['likes', 'comments'] as const;
export type LoadedKind = (typeof loadedKinds)[number];
export const recordKinds = ['runs', ...loadedKinds] as const;
export type RecordKind = (typeof recordKinds)[number];

export interface LikeOrComment {
  kind: LoadedKind;
  key: string;
  at: number;
  tag: string | null;
  valId: string | null;
  json: string;
}

export interface LikesAndCommentsFilter extends Range<TimePosition> {
  since?: string | undefined;
  until?: string | undefined;
}

export async function findLikesOrComments(
  db: Reader,
  kind: LoadedKind,
  owner: User,
  { limit, offset = 0, after, tag, since, until }: LikesAndCommentsFilter & { tag?: string | undefined },
): Promise<ListPart<string, TimePosition>> {
  const conditions = [
    sql`owner_id = ${owner.id} AND kind = ${kind}`,
    ...(after ? [sql`(at, position) < (${after[0]}, ${after[1]})`] : []),
    ...(tag === undefined ? [] : [sql`tag = ${tag}`]),
    ...(since === undefined ? [] : [sql`at > ${Date.parse(since)}`]),
    ...(until === undefined ? [] : [sql`at <= ${Date.parse(until)}`]),
  ];
  const found = await db.query<{ at: number; position: number; json: string }>(sql`
    SELECT at, position, json FROM records WHERE ${allOf(conditions)}
      ORDER BY at DESC, position DESC LIMIT ${limit + 1} ${after ? emptySql : sql`OFFSET ${offset}`}`);
  const items = found
    .slice(0, limit)
    .map(({ at, position, json }) => ({ item: json, position: [at, position] as const }));
  return { items, more: found.length > limit };
}

export async function putLikeOrComment(tx: Tx, owner: User, record: LikeOrComment): Promise<void> {
  const { kind, key, at, tag, valId, json } = record;
  await tx.query(sql`
    INSERT INTO records (owner_id, kind, key, at, tag, val_id, json)
      VALUES (${owner.id}, ${kind}, ${key}, ${at}, ${tag}, ${valId}, ${json})
      ON CONFLICT (owner_id, kind, key) DO UPDATE SET at = excluded.at, tag = excluded.tag,
      val_id = excluded.val_id, json = excluded.json`);
}
