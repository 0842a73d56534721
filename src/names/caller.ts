import { textAt } from '../api/records.ts';
import * as routes from '../api/routes.ts';
import { NotFoundError, RefusedError } from '../errors.ts';
import type { Lookup } from './my-vals.ts';

export function createCallerCheck({ api, seen }: Pick<Lookup, 'api' | 'seen'>) {
  let remembered: Promise<string | undefined> | undefined;
  let asked: Promise<string | undefined> | undefined;

  async function ask(): Promise<string | undefined> {
    try {
      return textAt(await api.record(routes.me()), 'id');
    } catch (error) {
      if (error instanceof NotFoundError || error instanceof RefusedError) return undefined;
      throw error;
    }
  }

  return async (owner: string | undefined): Promise<boolean> => {
    if (owner === undefined) return true;
    remembered ??= seen.recall().then(({ me }) => me);
    if ((await remembered) === owner) return true;
    asked ??= ask();
    const me = await asked;
    return me === undefined || me === owner;
  };
}
