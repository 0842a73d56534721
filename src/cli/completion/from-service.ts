import type { Api } from '../../api/api.ts';
import { textAt } from '../../api/record-fields.ts';
import * as routes from '../../api/routes.ts';
import type { Context } from '../context.ts';
import { createContext } from '../create-context.ts';
import type { Invocation } from '../invocation.ts';
import { createResolver } from '../resolve-vals.ts';
import type { Candidate } from './completions.ts';

/** Somebody who pressed Tab waits for the answer. */
const mostMs = 1_500;
const mostRuns = 20;
const shownOfId = 8;

/** A service that does not answer, or a person who is not signed in, gets no candidates and no error. */
async function ask(
  invocation: Invocation,
  read: (api: Api, context: Context) => Promise<Candidate[]>,
): Promise<Candidate[]> {
  const { context, close } = createContext(invocation);
  try {
    return await read(await context.connect({ mostMs }), context);
  } catch {
    return [];
  } finally {
    await close();
    await invocation.services.close();
  }
}

export const versionsOf = (val: string, invocation: Invocation): Promise<Candidate[]> =>
  ask(invocation, async (api, context) => {
    const identify = await createResolver(context);
    const { id } = await identify(val);
    const versions: Candidate[] = [];
    for await (const { records } of api.pages(routes.listVersions(id))) {
      for (const record of records) {
        versions.push({
          word: textAt(record, 'version') ?? '',
          description: textAt(record, 'createdAt') ?? '',
        });
      }
    }
    return versions;
  });

export const recentRuns = (invocation: Invocation): Promise<Candidate[]> =>
  ask(invocation, async (api) => {
    const runs: Candidate[] = [];
    for await (const { records } of api.pages(routes.myRuns({}), { limit: mostRuns })) {
      for (const run of records) {
        const word = textAt(run, 'id')?.slice(0, shownOfId) ?? '';
        runs.push({ word, description: textAt(run, 'val.name') ?? '' });
      }
    }
    return runs;
  });
