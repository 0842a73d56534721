// What the service's own list tells of many vals at once: one that did not change needs no request of its own.
import type { Api } from '../api/api.ts';
import { changedAtOf, textAt, versionOf } from '../api/records.ts';
import { ValsError } from '../errors.ts';
import type { JsonValue } from '../lib/json.ts';
import { openMyVals } from './my-vals.ts';
import type { SeenVals } from './seen-vals.ts';

interface Listed {
  name: string | undefined;
  version: JsonValue | undefined;
  changedAt: string | undefined;
}

/** Fewer are asked for one by one: to ask who we are, and then for the list, takes as long. */
const fewest = 100;

/**
 * A val by its id, for a command about so many; undefined where the list does not tell. The list is read once, and not to
 * its end where it is much longer.
 */
export function createFindListed(
  api: Api,
  seen: SeenVals,
  count: number,
): (id: string) => Promise<Listed | undefined> {
  const mostRead = 2 * count;
  let asked: Promise<Map<string, Listed>> | undefined;

  async function read(): Promise<Map<string, Listed>> {
    const listed = new Map<string, Listed>();
    try {
      for await (const rows of (await openMyVals(api, seen, { all: true })) ?? []) {
        for (const record of rows.records) {
          const id = textAt(record, 'id');
          const facts = { version: versionOf(record), changedAt: changedAtOf(record) };
          if (id !== undefined) listed.set(id, { name: textAt(record, 'name'), ...facts });
        }
        if (listed.size >= mostRead) break;
      }
    } catch (error) {
      // What is wrong with the list alone is no reason to stop, and what is wrong with the service shows at each val.
      if (!(error instanceof ValsError)) throw error;
    }
    return listed;
  }

  return async (id) => {
    if (count < fewest) return undefined;
    asked ??= read();
    return (await asked).get(id);
  };
}
