import Libsql from 'libsql';
import { expect, test } from 'vitest';
import { ends, run } from '../../support/program.ts';
import { onServer } from '../support/postgres.ts';
import { postgres, temporaryService } from '../support.ts';

test('a store that a newer program made is refused, with exit 10', async () => {
  const { at, close } = await temporaryService();
  await close();
  if (postgres) await onServer(at, 'UPDATE vals.store_version SET version = 99');
  else new Libsql(at).exec('PRAGMA user_version = 99');
  const refused = postgres
    ? await run(['user', 'ls'], { env: { VALS_DATABASE: at } })
    : await run(['user', 'ls', '--data', at]);
  expect(refused).toMatchObject(ends(10, 'was made by a newer version of vals'));
});
