import { LocalError } from '../../core/errors.ts';
import type { Tx } from './database.ts';
import { currentSchema, upgrades } from './schema.ts';

/** Takes the steps from an older schema to the current one. */
export async function upgrade(tx: Tx, from: number): Promise<void> {
  for (let schema = from; schema < currentSchema; schema++) await upgrades[schema]?.(tx);
}

/** Refuses a store that a newer program made. */
export function checkSchema(found: number, store: string, place: 'file' | 'database'): void {
  if (found <= currentSchema) return;
  throw new LocalError(
    `${store} was made by a newer version of vals: its schema is ${found}, and this version knows ${currentSchema}.`,
    { hint: `Update vals, or use another ${place}.` },
  );
}
