import type { Database } from '../database/database.ts';
import { type ListRange, listVals } from './read-vals.ts';
import type { User } from './users.ts';

export interface SearchRange extends ListRange {
  onlyOwn: boolean;
}

/** Finds vals whose name or current code contains the text. Names are compared without regard to case. */
export function searchVals(
  { all, codeContains }: Pick<Database, 'all' | 'codeContains'>,
  caller: User,
  text: string,
  { onlyOwn, ...range }: SearchRange,
) {
  const isSeen = onlyOwn ? 'owner_id = ?' : "(owner_id = ? OR privacy = 'public')";
  const hasText = `(SELECT CASE WHEN ${codeContains} THEN 1 ELSE 0 END FROM versions
    WHERE val_id = vals.id AND versions.version = vals.version) = 1`;
  // PostgreSQL refuses a NUL character in a text, and no name contains a space.
  const escaped = text
    .toLowerCase()
    .replaceAll('\0', ' ')
    .replace(/[\\%_]/g, '\\$&');
  return listVals(
    all,
    {
      condition: `${isSeen} AND (lower(name) LIKE ? ESCAPE '\\' OR ${hasText}) AND position < ?`,
      order: 'position DESC',
      values: [caller.id, `%${escaped}%`, Buffer.from(text)],
    },
    range,
  );
}
