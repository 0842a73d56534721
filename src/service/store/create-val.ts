import { randomUUID } from 'node:crypto';
import { blobId } from '../../core/lib/blob-id.ts';
import type { Database, Tx } from '../database/database.ts';
import { sql } from '../database/sql.ts';
import { type Access, authorOf } from './access.ts';
import { checkState, lockVal, nameTaken, updateVal, type ValChange } from './change-val.ts';
import { saveImports } from './references.ts';
import { now } from './timestamps.ts';
import { bytesOf, type Val, type ValContent } from './val-rows.ts';
import { insertVersion } from './versions.ts';
import { checkAccess, type WriteOptions, writeAs } from './write-as.ts';

export const newValDefaults = { readme: null, privacy: 'private', type: 'script' } as const;

export const createVal = (
  db: Database,
  access: Access,
  content: ValContent,
  { origin }: WriteOptions = {},
): Promise<Val> =>
  writeAs(db, access, {}, async (tx) => {
    const val = await insertVal(tx, access, content, origin);
    if (!val) throw nameTaken(content.name);
    return val;
  });

export const createOrUpdateVal = (
  db: Database,
  access: Access,
  change: ValChange & { name: string },
  { ifMatch, origin }: WriteOptions = {},
): Promise<{ val: Val; isNew: boolean }> =>
  writeAs(db, access, { val: change.name }, async (tx) => {
    // Tries again if another process creates the val between `lockVal` and `insertVal`.
    for (;;) {
      const found = await lockVal(tx, access, sql`owner_id = ${access.owner.id} AND name = ${change.name}`);
      checkState(found, ifMatch);
      if (found) return { val: (await updateVal(tx, access, found, change, origin)).val, isNew: false };
      const val = await insertVal(tx, access, { ...newValDefaults, ...change }, origin);
      if (val) return { val, isNew: true };
    }
  });

async function insertVal(
  tx: Tx,
  access: Access,
  content: ValContent,
  origin: string | undefined,
): Promise<Val | undefined> {
  const { name, code, readme, privacy, type } = content;
  const { owner } = access;
  const versionAuthor = authorOf(access);
  const at = now();
  const [inserted] = await tx.query<{ id: string }>(sql`
    INSERT INTO vals (id, owner_id, name, readme, privacy, type, created_at, updated_at)
      VALUES (${randomUUID()}, ${owner.id}, ${name}, ${bytesOf(readme)}, ${privacy}, ${type},
        ${at}, ${at}) ON CONFLICT (owner_id, name) DO NOTHING RETURNING id`);
  if (!inserted) return undefined;
  await checkAccess(tx, access);
  const { id } = inserted;
  const bytes = Buffer.from(code);
  const codeHash = blobId(bytes);
  await insertVersion(tx, { id, version: 1, bytes, codeHash, at, author: versionAuthor });
  await saveImports(tx, { id, imports: null }, code, origin);
  return {
    id,
    name,
    code,
    readme,
    privacy,
    type,
    version: 1,
    revision: 1,
    likeCount: 0,
    referenceCount: 0,
    codeHash,
    createdAt: at,
    versionCreatedAt: at,
    updatedAt: at,
    author: owner,
    versionAuthor,
  };
}
