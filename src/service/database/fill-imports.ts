import { importedIds } from '../imports.ts';
import type { Tx } from './database.ts';
import { listOf, query, sql } from './sql.ts';

interface Row {
  id: string;
  code: ArrayBuffer;
  at: string;
}

/** Few, because as many codes are in memory at a time. */
const rowsPerStep = 50;

/**
 * Finds what the vals that are there already import. Nobody knows here by which address people reach the service, so every
 * address counts that has the id of a val.
 */
export async function fillImports(tx: Tx): Promise<void> {
  let rows = await someVals(tx, '');
  for (let last = rows.at(-1); last; last = rows.at(-1)) {
    for (const row of rows) await saveImportsOf(tx, row);
    rows = await someVals(tx, last.id);
  }
}

const someVals = (tx: Tx, after: string): Promise<Row[]> =>
  query(
    tx,
    sql`SELECT vals.id, code, versions.created_at AS at FROM vals JOIN versions ON val_id = vals.id
      AND versions.version = vals.version WHERE vals.id > ${after} ORDER BY vals.id LIMIT ${rowsPerStep}`,
  );

async function saveImportsOf(tx: Tx, { id, code, at }: Row): Promise<void> {
  const ids = importedIds(Buffer.from(code).toString()).filter((imported) => imported !== id);
  if (ids.length === 0) return;
  await query(
    tx,
    sql`INSERT INTO imports (val_id, imported_id, imported_owner_id, at, is_current)
      SELECT ${id}, id, owner_id, ${at.replace(/Z$/, '000000Z')}, 1 FROM vals WHERE id IN ${listOf(ids)}`,
  );
}
