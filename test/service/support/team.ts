import { join } from 'node:path';
import { onTestFinished } from 'vitest';
import { openStore, type Store, startService } from '../../../src/service/index.ts';
import { createPerson } from '../../../src/service/store/people.ts';
import { createSpace, grant } from '../../../src/service/store/spaces.ts';
import { type RunOptions, run, temporaryFolder } from '../../support/program.ts';
import { placeOf } from './embedded-service.ts';

interface Person {
  home: string;
  token: string;
  vals(args: readonly string[], options?: RunOptions): ReturnType<typeof run>;
}

export interface Team {
  store: Store;
  baseUrl: string;
  space: string;
  ada: Person;
  bob: Person;
}

export async function startTeam(at = join(temporaryFolder(), 'vals.db')): Promise<Team> {
  const service = await startService({ ...placeOf(at), port: 0 });
  onTestFinished(() => service.close());
  const store = await openStore(placeOf(at));
  onTestFinished(() => store.close());
  await createSpace(store.db, 'acme');
  const add = async (username: string): Promise<Person> => {
    const token = (await createPerson(store.db, username))?.token ?? '';
    await grant(store.db, 'acme', username, 'write');
    const home = temporaryFolder();
    return { home, token, vals: (args, options) => run(args, { home, ...options }) };
  };
  const { baseUrl } = service;
  return { store, baseUrl, space: `${baseUrl}/@acme`, ada: await add('ada'), bob: await add('bob') };
}
