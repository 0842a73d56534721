import { createSpace, grant } from '../../../src/service/store/spaces.ts';
import { type RunOptions, run, temporaryFolder } from '../../support/program.ts';
import { storeOf, temporaryService } from '../support.ts';

/** Two members of a space, each with a home. */
export async function startTeam() {
  const service = await temporaryService();
  const store = await storeOf(service);
  await createSpace(store.db, 'acme');
  const add = async (username: string) => {
    const { token, createVal } = await service.addPerson(username);
    await grant(store.db, 'acme', username, 'write');
    const home = temporaryFolder();
    const vals = (args: readonly string[], options?: RunOptions) => run(args, { home, ...options });
    return { home, token, createVal, vals };
  };
  const { baseUrl } = service;
  return { store, baseUrl, space: `${baseUrl}/@acme`, ada: await add('ada'), bob: await add('bob') };
}
