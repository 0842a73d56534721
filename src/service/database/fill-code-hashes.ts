import { blobId } from '../../lib/blob-id.ts';
import type { Tx, Value } from './database.ts';

interface Row {
  id: string;
  version: number;
  code: ArrayBuffer;
}

/** Few, because as many codes are in memory at a time. */
const rowsPerStep = 50;

/** Neither database has SHA-1, so the hashes of versions that are there already are computed here. */
export async function fillCodeHashes(tx: Tx): Promise<void> {
  let rows = await someVersions(tx, { id: '', version: 0 });
  for (let last = rows.at(-1); last; last = rows.at(-1)) {
    await saveHashes(tx, rows);
    rows = await someVersions(tx, last);
  }
}

const someVersions = (tx: Tx, { id, version }: Omit<Row, 'code'>): Promise<Row[]> =>
  tx.query(
    `SELECT val_id AS id, version, code FROM versions WHERE (val_id, version) > (?, ?)
      ORDER BY val_id, version LIMIT ${rowsPerStep}`,
    [id, version],
  );

/** In one statement, because each statement is a round trip to PostgreSQL. Both databases name the columns of VALUES so. */
async function saveHashes(tx: Tx, rows: readonly Row[]): Promise<void> {
  const values = rows.flatMap(({ id, version, code }): Value[] => [id, version, blobId(Buffer.from(code))]);
  await tx.query(
    `UPDATE versions SET code_hash = hashes.column3 FROM (VALUES ${rows.map(() => '(?, ?, ?)').join(', ')}) AS hashes
      WHERE val_id = hashes.column1 AND version = CAST(hashes.column2 AS INTEGER)`,
    values,
  );
}
