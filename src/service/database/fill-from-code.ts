import { blobId } from '../../core/lib/blob-id.ts';
import { importedIds } from '../imports.ts';
import type { Tx } from './database.ts';
import { listOf, raw, type Sql, sql } from './sql.ts';

interface Row {
  id: string;
  version: number;
  code: ArrayBuffer;
  at: string;
}

/** Few, because as many codes are in memory at a time. */
const rowsPerStep = 50;

async function* versionsThat(condition: Sql, tx: Tx): AsyncGenerator<Row> {
  for (let last = { id: '', version: 0 }; ; ) {
    const rows = await tx.query<Row>(sql`
      SELECT val_id AS id, versions.version, code, versions.created_at AS at
        FROM versions JOIN vals ON vals.id = val_id
        WHERE (val_id, versions.version) > (${last.id}, ${last.version}) AND ${condition}
        ORDER BY val_id, versions.version LIMIT ${raw(rowsPerStep)}`);
    const end = rows.at(-1);
    if (!end) return;
    yield* rows;
    last = end;
  }
}

/** Neither database has SHA-1, so the hashes of versions that are there already are computed here. */
export async function fillCodeHashes(tx: Tx): Promise<void> {
  for await (const { id, version, code } of versionsThat(sql`code_hash = ''`, tx)) {
    const hash = blobId(Buffer.from(code));
    await tx.query(
      sql`UPDATE versions SET code_hash = ${hash} WHERE val_id = ${id} AND version = ${version}`,
    );
  }
}

/**
 * Finds what the vals that are there already import. Nobody knows here by which address people reach the service, so every
 * address counts that has the id of a val.
 */
export async function fillImports(tx: Tx): Promise<void> {
  for await (const { id, code, at } of versionsThat(sql`versions.version = vals.version`, tx)) {
    const ids = importedIds(Buffer.from(code).toString()).filter((imported) => imported !== id);
    if (ids.length === 0) continue;
    await tx.query(sql`
      INSERT INTO imports (val_id, imported_id, imported_owner_id, at, is_current)
        SELECT ${id}, id, owner_id, ${at.replace(/Z$/, '000000Z')}, 1 FROM vals WHERE id IN ${listOf(ids)}`);
  }
}
