// Where a store is, from one word: the address of a PostgreSQL database, or a file.
import type { Place } from '../../src/service/index.ts';

export const placeOf = (at: string): Place => (/^postgres:/.test(at) ? { database: at } : { file: at });
