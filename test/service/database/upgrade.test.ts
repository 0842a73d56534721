import Libsql from 'libsql';
import { expect, onTestFinished, test, vi } from 'vitest';
import { raw } from '../../../src/service/database/sql.ts';
import { type ServiceEvent, startService } from '../../../src/service/start-service.ts';
import { ends, run } from '../../support/program.ts';
import { placeOf } from '../support/embedded-service.ts';
import { onServer } from '../support/postgres.ts';
import { clientOf, postgres, temporaryService } from '../support.ts';

/** A later program: its schema is 2, and the step to it adds a column. */
const later = vi.hoisted(() => ({ isOn: false, step: 'ALTER TABLE users ADD COLUMN later TEXT' }));

vi.mock('../../../src/service/database/schema.ts', async (importOriginal) => {
  const original = await importOriginal<typeof import('../../../src/service/database/schema.ts')>();
  return {
    ...original,
    get currentSchema() {
      return later.isOn ? 2 : original.currentSchema;
    },
    upgrades: { 1: (tx: { query(statement: object): unknown }) => tx.query(raw(later.step)) },
  };
});

async function schemaOf(at: string): Promise<unknown> {
  const [found] = postgres
    ? await onServer(at, 'SELECT version FROM vals.store_version')
    : (new Libsql(at).prepare('SELECT user_version AS version FROM pragma_user_version').all() as [
        { version: number },
      ]);
  return found?.version;
}

function turnLater(step = 'ALTER TABLE users ADD COLUMN later TEXT'): void {
  later.isOn = true;
  later.step = step;
  onTestFinished(() => {
    later.isOn = false;
  });
}

async function oldStore() {
  const service = await temporaryService();
  const ada = await service.addPerson('ada');
  const { id } = await ada.createVal({ name: 'kept', code: '1\0é' });
  await service.close();
  return { at: service.at, token: ada.token, id };
}

async function startNoting(at: string) {
  const upgrades: string[] = [];
  const onEvent = (event: ServiceEvent) => {
    if (event.kind === 'upgraded') upgrades.push(event.message);
  };
  const service = await startService({ ...placeOf(at), port: 0, onEvent });
  onTestFinished(service.close);
  return { ...service, upgrades };
}

const upgraded = expect.stringContaining('from schema 1 to schema 2');

test('a later program brings an older store up to date once, says so, and keeps what is in it', async () => {
  const { at, token, id } = await oldStore();
  turnLater();
  const { baseUrl, upgrades, close } = await startNoting(at);
  expect(upgrades).toEqual([upgraded]);
  expect(await clientOf({ baseUrl, token }).get(`/v1/vals/${id}`)).toMatchObject({ code: '1\0é' });
  await close();
  expect(await schemaOf(at)).toBe(2);
  expect((await startNoting(at)).upgrades).toEqual([]);
});

test('a store whose upgrade fails stays as it is', async () => {
  const { at } = await oldStore();
  turnLater('ALTER TABLE absent ADD COLUMN later TEXT');
  await expect(startService({ ...placeOf(at), port: 0 })).rejects.toThrow('absent');
  expect(await schemaOf(at)).toBe(1);
});

test('a store of a newer schema is refused by an older program, with exit 10', async () => {
  const { at } = await oldStore();
  turnLater();
  await (await startNoting(at)).close();
  later.isOn = false;
  const refused = postgres
    ? await run(['user', 'ls'], { env: { VALS_DATABASE: at } })
    : await run(['user', 'ls', '--data', at]);
  expect(refused).toMatchObject(ends(10, 'was made by a newer version of vals'));
});
