import Libsql from 'libsql';
import { expect, test } from 'vitest';
import { ends, run } from '../../support/program.ts';
import { onServer } from '../support/postgres.ts';
import { postgres, temporaryService } from '../support.ts';

test.each([
  [99, 'a newer'],
  [1, 'an older'],
])('a store with the schema %i, which %s program made, is refused with exit 10', async (schema, age) => {
  const { at, close } = await temporaryService();
  await close();
  if (postgres) await onServer(at, `UPDATE vals.store_version SET version = ${schema}`);
  else new Libsql(at).exec(`PRAGMA user_version = ${schema}`);
  const refused = postgres
    ? await run(['user', 'ls'], { env: { VALS_DATABASE: at } })
    : await run(['user', 'ls', '--data', at]);
  expect(refused).toMatchObject(ends(10, `was made by ${age} version of vals`));
});
